/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The workloads of a benchmark, step by step: what a CPU does next in a map. Used by the engines in
 * user space and by the kernel engine's BPF program alike, so that both do the very same steps;
 * hence plain C without includes, calls, floating point or loops.
 *
 * Each CPU has a state of its own and never waits for another's. A step is one call on the map; an
 * operation, which is what is counted, is one or more steps, and the last of them says so.
 *
 * Keys are integers. Those that only one CPU uses are dealt out in turn: the n-th of CPU c of r is
 * c + n * r.
 */
#ifndef SIM_WORKLOAD_STEP_H
#define SIM_WORKLOAD_STEP_H

#define WORKLOAD_INLINE static inline __attribute__((always_inline))

enum workload_kind {
	WORKLOAD_UPDATE_RANDOM,
	WORKLOAD_UPDATE_LOOKUP_DELETE,
	WORKLOAD_FULL_UPDATE,
	WORKLOAD_LOOKUP,
	WORKLOAD_LOOKUP_HIT_MISS,
	WORKLOAD_CONNTRACK,
	WORKLOAD_START_DONE,
	WORKLOAD_REPLAY,
	WORKLOADS,

	WORKLOAD_FILL =
		WORKLOADS /* before the others begin: the keys that are there from the start */
};

enum workload_call {
	CALL_LOOKUP,
	CALL_UPDATE, /* BPF_ANY */
	CALL_UPDATE_NOEXIST,
	CALL_UPDATE_EXIST,
	CALL_DELETE,
	CALL_ACCESS, /* look up; when missing, update with BPF_ANY */
	WORKLOAD_CALLS
};

/* What is the same for all CPUs, and does not change while they work. */
struct workload_params {
	unsigned int kind;           /* enum workload_kind */
	unsigned int running;        /* CPUs that work */
	unsigned int filled;         /* keys 0..filled-1 were put in */
	unsigned int span;           /* keys that a CPU has of its own, at least 1 */
	unsigned int rare;           /* the share, of 2^32, of what is rare: misses, new flows */
	unsigned int rank_mask;      /* conntrack: ranks that were drawn beforehand, less 1 */
	unsigned long long think_ns; /* start-done */
};

/* Requests of start-done that a CPU has in flight. */
#define WORKLOAD_IN_FLIGHT 32

/* One CPU's. */
struct workload_state {
	unsigned long long random;
	unsigned long long count;   /* keys, or flows, that were begun */
	unsigned int cpu;           /* of those that work, from 0 */
	unsigned int phase;         /* which step of an operation is next */
	unsigned int place;         /* in a span of keys, in flight, or in what was drawn */
	unsigned int first, length; /* replay: its operations among all */
	unsigned int pending;       /* conntrack: a flow is to be ended */
	unsigned long long in_flight[WORKLOAD_IN_FLIGHT];
};

/* What was drawn, or read, before the run: a step of a trace, or a rank of Zipf's distribution. */
struct workload_drawn {
	unsigned long long key;
	unsigned int call;
	unsigned int unused;
};

struct workload_step {
	unsigned long long key;
	unsigned int call;      /* enum workload_call */
	unsigned int completes; /* 1: the operation ends with this step */
	unsigned int thinks;    /* 1: think_ns pass behind it */
};

/* SplitMix64 (Steele, Lea and Flood, 2014). */
WORKLOAD_INLINE unsigned long long workload_random(struct workload_state *state)
{
	unsigned long long z = state->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* One of range numbers, by half of a random number (Lemire's multiplication). */
WORKLOAD_INLINE unsigned int workload_below(unsigned long long random, unsigned int range)
{
	return (unsigned int)(((random & 0xffffffffULL) * range) >> 32);
}

/* The n-th key that this CPU has of its own. */
WORKLOAD_INLINE unsigned long long workload_own_key(const struct workload_state *state,
						    const struct workload_params *params,
						    unsigned long long n)
{
	return state->cpu + n * params->running;
}

/*
 * Which of what was drawn beforehand the next step takes; of the kinds conntrack and replay alone.
 * To be called once before each step.
 */
WORKLOAD_INLINE unsigned int workload_place(const struct workload_state *state,
					    const struct workload_params *params)
{
	if (params->kind == WORKLOAD_CONNTRACK)
		return state->place & params->rank_mask;
	return state->first + state->place;
}

/* An update, a look-up and a delete of one key after the other. */
WORKLOAD_INLINE struct workload_step
workload_update_lookup_delete(struct workload_state *state, const struct workload_params *params)
{
	struct workload_step step = {workload_own_key(state, params, state->place), CALL_UPDATE, 0,
				     0};

	if (state->phase == 0) {
		state->phase = 1;
	} else if (state->phase == 1) {
		step.call = CALL_LOOKUP;
		state->phase = 2;
	} else {
		step.call = CALL_DELETE;
		step.completes = 1;
		state->phase = 0;
		state->place = state->place + 1 < params->span ? state->place + 1 : 0;
	}
	return step;
}

/*
 * A CPU's flows stand in span places, the newest after the others, and each begins where the oldest
 * ended. How much a flow is used goes by its place, so a flow is as popular as the one before it.
 */
WORKLOAD_INLINE struct workload_step workload_conntrack(struct workload_state *state,
							const struct workload_params *params,
							unsigned int rank)
{
	struct workload_step step = {0, CALL_ACCESS, 1, 0};
	/* count - span .. count - 1 live; phase is the place of count, the next to begin. */
	unsigned long long turn = state->count - state->phase;

	if (state->pending) {
		state->pending = 0;
		step.key = workload_own_key(state, params, state->count - 1 - params->span);
		step.call = CALL_DELETE;
		return step;
	}
	if ((unsigned int)(workload_random(state) >> 32) < params->rare) {
		step.key = workload_own_key(state, params, state->count);
		step.call = CALL_UPDATE;
		state->count++;
		state->phase = state->phase + 1 < params->span ? state->phase + 1 : 0;
		state->pending = 1;
		return step;
	}
	state->place++;
	step.key = workload_own_key(state, params,
				    rank < state->phase ? turn + rank : turn - params->span + rank);
	return step;
}

/* As many requests as can be are in flight; one of them, whichever, is done before one starts. */
WORKLOAD_INLINE struct workload_step workload_start_done(struct workload_state *state,
							 const struct workload_params *params)
{
	unsigned int place = state->place & (WORKLOAD_IN_FLIGHT - 1);
	struct workload_step step = {state->in_flight[place], CALL_LOOKUP, 0, 0};

	if (state->phase == 0) {
		step.key = workload_own_key(state, params, state->count++);
		step.call = CALL_UPDATE;
		step.thinks = 1;
		state->in_flight[place] = step.key;
		if (state->count < WORKLOAD_IN_FLIGHT) {
			state->place = place + 1;
		} else {
			state->place = workload_below(workload_random(state), WORKLOAD_IN_FLIGHT);
			state->phase = 1;
		}
	} else if (state->phase == 1) {
		state->phase = 2;
	} else {
		step.call = CALL_DELETE;
		step.completes = 1;
		state->phase = 0;
	}
	return step;
}

WORKLOAD_INLINE struct workload_step workload_replay(struct workload_state *state,
						     const struct workload_drawn *drawn)
{
	struct workload_step step = {drawn->key, drawn->call, 1, 0};

	state->place = state->place + 1 < state->length ? state->place + 1 : 0;
	return step;
}

/* The next step; drawn is what stands at workload_place(), where the kind has such. */
WORKLOAD_INLINE struct workload_step workload_next(struct workload_state *state,
						   const struct workload_params *params,
						   const struct workload_drawn *drawn)
{
	struct workload_step step = {0, CALL_UPDATE, 1, 0};
	unsigned long long random;

	switch (params->kind) {
	case WORKLOAD_UPDATE_RANDOM:
		step.key = workload_random(state) >> 32;
		break;
	case WORKLOAD_UPDATE_LOOKUP_DELETE:
		return workload_update_lookup_delete(state, params);
	case WORKLOAD_FULL_UPDATE:
		step.key = params->filled + workload_own_key(state, params, state->count++);
		break;
	case WORKLOAD_LOOKUP:
		step.key = workload_below(workload_random(state), params->filled);
		step.call = CALL_LOOKUP;
		break;
	case WORKLOAD_LOOKUP_HIT_MISS:
		random = workload_random(state);
		step.key = workload_below(random, params->filled);
		if ((unsigned int)(random >> 32) < params->rare)
			step.key += params->filled;
		step.call = CALL_LOOKUP;
		break;
	case WORKLOAD_CONNTRACK:
		return workload_conntrack(state, params, (unsigned int)drawn->key);
	case WORKLOAD_START_DONE:
		return workload_start_done(state, params);
	case WORKLOAD_REPLAY:
		return workload_replay(state, drawn);
	default:
		step.key = workload_own_key(state, params, state->count++);
	}
	return step;
}

/* Of every so many steps one is timed; a prime, so that all kinds of steps come up. */
#define BENCH_SAMPLE_EVERY 61
#define BENCH_SAMPLES 256 /* that are kept until they are taken */

/* Errors are counted by errno; the kernel's own, above these, do not come of single operations. */
#define BENCH_ERRNOS 128

/* What a call came to. */
enum bench_outcome {
	OUTCOME_FINE,
	OUTCOME_MISSED, /* a look-up found nothing; CALL_ACCESS then inserted */
	OUTCOME_FAILED,
	BENCH_OUTCOMES
};

/* One CPU at work, on cache lines of its own. The engine's loop writes it, others when it ended. */
struct bench_cpu {
	struct workload_state workload;
	unsigned long long operations; /* of this phase, as all that follows */
	unsigned long long limit;      /* operations at which it ends */
	unsigned long long calls;
	unsigned int until_sample;
	unsigned int sample_count;
	unsigned int samples[BENCH_SAMPLES]; /* what a step took, in the clock's unit */

	/* Only where the map does not count itself. */
	unsigned long long outcomes[WORKLOAD_CALLS][BENCH_OUTCOMES];
	unsigned long long errors[BENCH_ERRNOS];

	/* The program's own. */
	unsigned long long wait_until_ns;
	unsigned int clock_cost_ns; /* the least distance of two readings; 0: not yet known */
} __attribute__((aligned(128)));

#endif
