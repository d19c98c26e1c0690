/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The name map: each external name of the model gets the flavour's prefix, so that several
 * flavours of the same sources live in one program. env.h defines ENV_NS(name) and includes this.
 * A test runs nm over each flavour and fails on an unprefixed global.
 */
#ifndef MODEL_NS_H
#define MODEL_NS_H

/* env/check/fault.c */
#define fault_planted ENV_NS(fault_planted)

/* env/threads/ */
#define env_grace_begin ENV_NS(env_grace_begin)
#define env_grace_ask ENV_NS(env_grace_ask)
#define env_grace_is_over ENV_NS(env_grace_is_over)
#define env_thread_begin ENV_NS(env_thread_begin)
#define env_thread_end ENV_NS(env_thread_end)
#define env_thread_quiet ENV_NS(env_thread_quiet)
#define env_lock_wait ENV_NS(env_lock_wait)
#define env_lock_resilient ENV_NS(env_lock_resilient)
#define env_unlock_resilient ENV_NS(env_unlock_resilient)
#define env_trylock_resilient ENV_NS(env_trylock_resilient)
#define env_lock_bit_wait ENV_NS(env_lock_bit_wait)

/* map.c */
#define model_ops_table ENV_NS(model_ops)
#define map_create ENV_NS(map_create)
#define map_destroy ENV_NS(map_destroy)

/* htab.c */
#define htab_update ENV_NS(htab_update)
#define htab_delete ENV_NS(htab_delete)
#define htab_lookup_and_delete ENV_NS(htab_lookup_and_delete)
#define htab_evict ENV_NS(htab_evict)
#define map_entries ENV_NS(map_entries)
#define htab_link ENV_NS(htab_link)
#define htab_count_entry ENV_NS(htab_count_entry)
#define htab_unlink ENV_NS(htab_unlink)
#define htab_free_elem ENV_NS(htab_free_elem)
#define htab_end_alloc ENV_NS(htab_end_alloc)
#define elem_fold_value ENV_NS(elem_fold_value)
#define elem_own_value ENV_NS(elem_own_value)
#define elem_read_value ENV_NS(elem_read_value)
#define htab_count_error ENV_NS(htab_count_error)

/* iter.c */
#define htab_next_key ENV_NS(htab_next_key)
#define htab_batch ENV_NS(htab_batch)

/* run.c */
#define map_run ENV_NS(map_run)

/* check.c */
#define map_check ENV_NS(map_check)

/* percpu.c */
#define percpu_init ENV_NS(percpu_init)
#define percpu_deinit ENV_NS(percpu_deinit)
#define percpu_reserve ENV_NS(percpu_reserve)

/* slab.c */
#define slab_init ENV_NS(slab_init)
#define slab_deinit ENV_NS(slab_deinit)
#define slab_alloc ENV_NS(slab_alloc)
#define slab_free ENV_NS(slab_free)
#define slab_number ENV_NS(slab_number)
#define slab_walk ENV_NS(slab_walk)

/* defer.c */
#define defer_init ENV_NS(defer_init)
#define defer_deinit ENV_NS(defer_deinit)
#define defer_add ENV_NS(defer_add)
#define defer_advance ENV_NS(defer_advance)
#define defer_take_over ENV_NS(defer_take_over)
#define defer_take_any ENV_NS(defer_take_any)
#define defer_most ENV_NS(defer_most)
#define defer_walk ENV_NS(defer_walk)

/* lock.c */
#define lock_policies ENV_NS(lock_policies)

/* alloc/ */
#define alloc_policies ENV_NS(alloc_policies)
#define alloc_prepare_elem ENV_NS(alloc_prepare_elem)
#define alloc_walk_slab ENV_NS(alloc_walk_slab)
#define alloc_slab_stats ENV_NS(alloc_slab_stats)
#define alloc_ida ENV_NS(alloc_ida)
#define alloc_bitmap ENV_NS(alloc_bitmap)
#define alloc_locked ENV_NS(alloc_locked)
#define alloc_freelist ENV_NS(alloc_freelist)
#define alloc_kmalloc ENV_NS(alloc_kmalloc)
#define alloc_bpfmem ENV_NS(alloc_bpfmem)
#define elem_count_init ENV_NS(elem_count_init)
#define elem_count_deinit ENV_NS(elem_count_deinit)
#define elem_count_take ENV_NS(elem_count_take)
#define elem_count_put ENV_NS(elem_count_put)
#define elem_count_sum ENV_NS(elem_count_sum)

/* lru/ */
#define lru_policies ENV_NS(lru_policies)
#define lru_kernel_common ENV_NS(lru_kernel_common)
#define lru_kernel_percpu ENV_NS(lru_kernel_percpu)
#define lru_exact ENV_NS(lru_exact)
#define lru_steal_first ENV_NS(lru_steal_first)
#define lru_steal_half ENV_NS(lru_steal_half)
#define lru_watermark ENV_NS(lru_watermark)
#define lru_lookup_first ENV_NS(lru_lookup_first)
#define lru_fifo ENV_NS(lru_fifo)
#define lru_clock ENV_NS(lru_clock)
#define lru_sieve ENV_NS(lru_sieve)
#define lru_s3fifo ENV_NS(lru_s3fifo)
#define lru_random ENV_NS(lru_random)
#define lru_opt ENV_NS(lru_opt)
#define lru_common_init ENV_NS(lru_common_init)
#define lru_common_deinit ENV_NS(lru_common_deinit)
#define lru_common_pop ENV_NS(lru_common_pop)
#define lru_common_give_back ENV_NS(lru_common_give_back)
#define lru_common_lists ENV_NS(lru_common_lists)
#define lru_common_walk ENV_NS(lru_common_walk)
#define lru_common_model_bytes ENV_NS(lru_common_model_bytes)
#define lru_common_refill ENV_NS(lru_common_refill)
#define lru_common_steal ENV_NS(lru_common_steal)
#define lru_common_begin ENV_NS(lru_common_begin)
#define lru_common_take ENV_NS(lru_common_take)
#define lru_common_shrink ENV_NS(lru_common_shrink)
#define lru_common_end ENV_NS(lru_common_end)
#define lru_common_round ENV_NS(lru_common_round)
#define lru_local_take_pending ENV_NS(lru_local_take_pending)
#define lru_percpu_init ENV_NS(lru_percpu_init)
#define lru_percpu_deinit ENV_NS(lru_percpu_deinit)
#define lru_percpu_pop ENV_NS(lru_percpu_pop)
#define lru_percpu_give_back ENV_NS(lru_percpu_give_back)
#define lru_percpu_lists ENV_NS(lru_percpu_lists)
#define lru_percpu_walk ENV_NS(lru_percpu_walk)
#define lru_percpu_model_bytes ENV_NS(lru_percpu_model_bytes)
#define lru_set_reclaim ENV_NS(lru_set_reclaim)
#define lru_sets_init ENV_NS(lru_sets_init)
#define lru_sets_deinit ENV_NS(lru_sets_deinit)
#define lru_sets_give_back ENV_NS(lru_sets_give_back)
#define lru_sets_report ENV_NS(lru_sets_report)
#define lru_sets_walk ENV_NS(lru_sets_walk)
#define lru_sets_model_bytes ENV_NS(lru_sets_model_bytes)
#define lru_list_init ENV_NS(lru_list_init)
#define lru_list_move ENV_NS(lru_list_move)
#define lru_list_take ENV_NS(lru_list_take)
#define lru_list_rotate ENV_NS(lru_list_rotate)
#define lru_list_shrink ENV_NS(lru_list_shrink)
#define lru_list_walk ENV_NS(lru_list_walk)
#define lru_list_report ENV_NS(lru_list_report)
#define lru_ahead_restart ENV_NS(lru_ahead_restart)
#define lru_ahead_step ENV_NS(lru_ahead_step)

#endif
