// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/tunables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/words.h"
#include "model/model.h"

static const char *const populate_names[] = {"old", "even", NULL};
static const char *const count_names[] = {"atomic", "percpu", "adaptive", NULL};
static const char *const free_target_names[] = {"fixed", "by-size", NULL};
static const char *const list_lock_names[] = {"raw", "resilient", NULL};
static const char *const map_types_names[] = {"hash", "percpu", "lru", NULL};
static const char *const switch_names[] = {"0", "1", NULL};

#define AUTO .auto_name = "auto"
#define RANGE(lowest, highest) .min = (lowest), .max = (highest)

static const struct tunable tunables[TUNABLES] = {
	[TUNE_SEED] = {"seed", "seed of the map's hash", RANGE(0, UINT32_MAX),
		       .auto_name = "random"},
	[TUNE_HASH_INIT] = {"hash_init", "initial value of the hash", RANGE(0, UINT32_MAX)},
	[TUNE_LOCK] = {"lock", "how a bucket is locked"},
	[TUNE_ALLOC] = {"alloc", "where elements of maps without LRU come from", AUTO},
	[TUNE_ROTATION] = {"rotation", "which node an LRU map gives up"},
	[TUNE_NR_SCANS] = {"nr_scans", "nodes looked at per rotation, on every kind of LRU list",
			   RANGE(1, UINT32_MAX), AUTO},
	[TUNE_COMMON_NR_SCANS] = {"common_nr_scans", "nr_scans of the common LRU (LOCAL_NR_SCANS)",
				  RANGE(1, UINT32_MAX)},
	[TUNE_PERCPU_NR_SCANS] = {"percpu_nr_scans", "nr_scans of per-CPU LRU (PERCPU_NR_SCANS)",
				  RANGE(1, UINT32_MAX)},
	[TUNE_FREE_TARGET] = {"free_target",
			      "nodes wanted per shrink; per-CPU LRU otherwise wants its nr_scans",
			      RANGE(1, UINT32_MAX), AUTO},
	[TUNE_FREE_TARGET_RULE] =
		{"free_target_rule",
		 "common LRU: free_target_max, or max_entries/CPUs/2 within bounds",
		 .names = free_target_names},
	[TUNE_FREE_TARGET_MIN] = {"free_target_min",
				  "lower bound of the by-size rule, and of rotation=watermark",
				  RANGE(1, UINT32_MAX)},
	[TUNE_FREE_TARGET_MAX] = {"free_target_max",
				  "free target, or upper bound of by-size and of watermark",
				  RANGE(1, UINT32_MAX)},
	[TUNE_SYS_LOOKUP_MARKS] = {"sys_lookup_marks",
				   "whether a look-up by system call sets the reference bit",
				   .names = switch_names},
	[TUNE_POPULATE] = {"populate", "how elements are dealt to the CPUs' free lists",
			   .names = populate_names},
	[TUNE_SKIP_EMPTY] = {"skip_empty", "pass by an empty free list without locking it",
			     .names = switch_names},
	[TUNE_SPARES] = {"spares", "a spare element per CPU for replacing in a preallocated hash",
			 .names = switch_names},
	[TUNE_COUNT] = {"count", "how elements are counted without preallocation",
			.names = count_names},
	[TUNE_COUNT_BATCH] = {"count_batch", "batch of the per-CPU counter", RANGE(1, 1u << 20)},
	[TUNE_IDA_SIZE] = {"ida_size", "ida: most free tags of a CPU's cache", RANGE(1, 1u << 20)},
	[TUNE_IDA_BATCH] = {"ida_batch", "ida: tags that come and go at a time",
			    RANGE(1, 1u << 20)},
	[TUNE_BITMAP_ALIGNED] = {"bitmap_aligned", "bitmap: whether each word has a cache line",
				 .names = switch_names},
	[TUNE_CACHE_LOW] = {"cache_low", "bpfmem: refill below this many free objects",
			    RANGE(1, 1u << 20)},
	[TUNE_CACHE_HIGH] = {"cache_high", "bpfmem: give back above this many free objects",
			     RANGE(3, 1u << 20)},
	[TUNE_CACHE_PREFILL] = {"cache_prefill", "bpfmem: objects per CPU at creation",
				RANGE(1, 1u << 20)},
	[TUNE_CACHE_OBJECT_BYTES] = {"cache_object_bytes",
				     "bpfmem: above this size watermarks shrink and prefill is 1",
				     RANGE(8, 1u << 30)},
	[TUNE_LOCK_CLASSES] = {"lock_classes", "held-count: classes a CPU counts apart",
			       RANGE(1, 64)},
	[TUNE_LOCK_TIMEOUT_NS] = {"lock_timeout_ns", "resilient locks give up after this",
				  RANGE(1, UINT64_MAX - 1)},
	[TUNE_FREE_LIST_LOCK] = {"free_list_lock", "lock of a per-CPU free list",
				 .names = list_lock_names},
	[TUNE_LRU_LOCK] = {"lru_lock",
			   "locks of the LRU lists; resilient ones can leave nodes pending free",
			   .names = list_lock_names},
	[TUNE_NMI_TRYLOCK] = {"nmi_trylock", "free-list locks are only tried in NMI",
			      .names = switch_names},
	[TUNE_ELEM_LIMIT_BYTES] = {"elem_limit_bytes",
				   "key and value together with the header must stay below",
				   RANGE(64, 1u << 30)},
	[TUNE_PERCPU_VALUE_LIMIT_BYTES] = {"percpu_value_limit_bytes", "largest per-CPU value",
					   RANGE(8, 1u << 30)},
	[TUNE_MAX_ENTRIES_LIMIT] = {"max_entries_limit",
				    "most entries: the bucket array must stay below 4 GiB",
				    RANGE(1, 1ULL << 31)},
	[TUNE_MAP_TYPES] = {"map_types", "types there are: each with those before it",
			    .names = map_types_names},
	[TUNE_NO_PREALLOC] = {"no_prealloc_flag", "whether the flag no_prealloc is known",
			      .names = switch_names},
	[TUNE_NUMA_NODE] = {"numa_node_flag", "whether the flag numa_node is known",
			    .names = switch_names},
	[TUNE_SYS_LOOKUP_AND_DELETE] = {"lookup_and_delete", "whether hash maps have it",
					.names = switch_names},
	[TUNE_BATCH] = {"batch", "whether batches are known", .names = switch_names},
	[TUNE_LOOKAHEAD] = {"lookahead",
			    "operations whose memory is fetched ahead (seq; below 5: none)",
			    RANGE(0, 192)},
};

const struct tunable *tunable_get(enum tunable_id id)
{
	return &tunables[id];
}

/* The n-th policy behind a seam; NULL past the last, and for tunables that are none. */
static const struct policy *tunable_policy(enum tunable_id id, uint64_t n)
{
	switch (id) {
	case TUNE_LOCK:
		return seq_model_ops.lock(n);
	case TUNE_ALLOC:
		return seq_model_ops.alloc(n);
	case TUNE_ROTATION:
		return seq_model_ops.rotation(n);
	default:
		return NULL;
	}
}

const char *tunable_choice(enum tunable_id id, uint64_t n)
{
	const struct policy *policy = tunable_policy(id, n);

	if (policy)
		return policy->name;
	return tunables[id].names ? tunables[id].names[n] : NULL;
}

const char *tunable_choice_summary(enum tunable_id id, uint64_t n)
{
	const struct policy *policy = tunable_policy(id, n);

	return policy ? policy->summary : NULL;
}

static void append(char *text, size_t bytes, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", word);
}

int tunable_find(const char *name, struct error *error)
{
	struct word_guess guess;
	char all[900] = "";

	for (int id = 0; id < TUNABLES; id++) {
		if (!strcmp(tunables[id].name, name))
			return id;
	}
	word_guess_init(&guess, name);
	for (int id = 0; id < TUNABLES; id++) {
		word_guess_offer(&guess, tunables[id].name);
		append(all, sizeof(all), tunables[id].name);
	}
	if (guess.name)
		return error_set(error, -ENOENT, "no tunable \"%.32s\"; did you mean %s?", name,
				 guess.name);
	return error_set(error, -ENOENT, "no tunable \"%.32s\"; there are %s", name, all);
}

static int refuse_value(enum tunable_id id, const char *value, struct error *error)
{
	const struct tunable *tunable = &tunables[id];
	bool is_choice = tunable_choice(id, 0);
	char valid[256] = "";

	for (uint64_t n = 0; is_choice && tunable_choice(id, n); n++)
		append(valid, sizeof(valid), tunable_choice(id, n));
	if (!is_choice)
		snprintf(valid, sizeof(valid), "a number %" PRIu64 "..%" PRIu64, tunable->min,
			 tunable->max);
	if (tunable->auto_name)
		append(valid, sizeof(valid), tunable->auto_name);
	return error_set(error, -EINVAL, "%s=%.40s: expected %s%s%s", tunable->name, value,
			 is_choice ? "one of " : "", valid, is_choice ? "" : number_hint(value));
}

int tunable_set(struct tunables *set, enum tunable_id id, const char *value, struct error *error)
{
	const struct tunable *tunable = &tunables[id];

	if (tunable->auto_name && !strcmp(value, tunable->auto_name)) {
		set->values[id] = TUNABLE_AUTO;
		return 0;
	}
	if (!tunable_choice(id, 0)) {
		if (number_parse(value, tunable->min, tunable->max, &set->values[id]))
			return refuse_value(id, value, error);
		return 0;
	}
	for (uint64_t n = 0; tunable_choice(id, n); n++) {
		if (strcmp(tunable_choice(id, n), value))
			continue;
		set->values[id] = n;
		return 0;
	}
	return refuse_value(id, value, error);
}

const char *tunable_format(enum tunable_id id, uint64_t value, char *text)
{
	if (value == TUNABLE_AUTO && tunables[id].auto_name)
		snprintf(text, TUNABLE_TEXT_BYTES, "%s", tunables[id].auto_name);
	else if (tunable_choice(id, 0))
		snprintf(text, TUNABLE_TEXT_BYTES, "%s", tunable_choice(id, value));
	else
		snprintf(text, TUNABLE_TEXT_BYTES, "%" PRIu64, value);
	return text;
}
