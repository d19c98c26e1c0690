// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packets counted by flow, as a program does it with per-CPU values in place, and read as a daemon
 * does it by system call.
 *
 *     c++ packets.cc $(pkg-config --cflags --libs mapsim) -o packets
 */
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <mapsim/mapsim.h>

namespace
{

struct Flow {
	uint32_t source, target;
	uint16_t source_port, target_port;
	uint32_t protocol;
};

class Map
{
	std::unique_ptr<mapsim_map, void (*)(mapsim_map *)> map;

      public:
	Map(const std::string &text, uint32_t cpus) : map(nullptr, mapsim_map_destroy)
	{
		mapsim_map_create_opts opts = mapsim_map_create_opts();

		opts.sz = sizeof(opts);
		opts.cpus = cpus;
		map.reset(mapsim_map_create(text.c_str(), &opts));
		if (!map)
			throw std::runtime_error(mapsim_error());
	}

	mapsim_map *get() const
	{
		return map.get();
	}
};

/* What a program does with a packet. */
void count_packet(const Map &map, uint32_t cpu, const Flow &flow)
{
	void *place = mapsim_map_lookup_ptr(map.get(), cpu, MAPSIM_IRQ, &flow);
	uint64_t one = 1;

	if (place)
		++*static_cast<uint64_t *>(place);
	else
		mapsim_map_update_elem(map.get(), cpu, MAPSIM_IRQ, &flow, &one, MAPSIM_NOEXIST);
}

void print_flows(const Map &map, uint32_t cpus)
{
	std::vector<uint64_t> copies(cpus);
	Flow flow;
	int err = mapsim_map_get_next_key(map.get(), 0, MAPSIM_SYSCALL, nullptr, &flow);

	for (; !err; err = mapsim_map_get_next_key(map.get(), 0, MAPSIM_SYSCALL, &flow, &flow)) {
		uint64_t sum = 0;

		if (mapsim_map_lookup_elem(map.get(), 0, MAPSIM_SYSCALL, &flow, copies.data()))
			throw std::runtime_error(std::strerror(errno));
		for (uint64_t copy : copies)
			sum += copy;
		std::cout << "port " << flow.source_port << ": " << sum << " packets\n";
	}
}

} // namespace

int main()
{
	const uint32_t cpus = 4;

	try {
		Map map("type=lru_percpu_hash,max_entries=100,key_size=16,value_size=8", cpus);

		for (uint32_t i = 0; i < 1000; i++) {
			uint16_t port = static_cast<uint16_t>(i % 3 ? 80 : 8000 + i % 7);
			Flow flow = {0x0a000001, 0x0a000002, port, 443, 6};

			count_packet(map, i % cpus, flow);
		}
		print_flows(map, cpus);
	} catch (const std::exception &error) {
		std::cerr << error.what() << '\n';
		return 1;
	}
	return 0;
}
