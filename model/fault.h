/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small faults that tests plant in the model, to see that comparing finds them. Each is asked for
 * at one place by env_fault(), which is never true in the flavours that run.
 */
#ifndef MODEL_FAULT_H
#define MODEL_FAULT_H

enum fault {
	FAULT_NONE,
	/* lru/kernel_list */
	FAULT_ROTATE_ONE_MORE,  /* a rotation of INACTIVE scans a node more */
	FAULT_ROTATE_WHEN_SAME, /* ACTIVE is also rotated when INACTIVE is as long */
	FAULT_CURSOR_STAYS,     /* the cursor is left where the rotation began */
	FAULT_SHRINK_ONE_MORE,  /* shrinking scans a node more */
	FAULT_SHRINK_USED,      /* shrinking disregards the reference bit */
	FAULT_BIT_STAYS,        /* a move between lists leaves the bit as it is */
	/* lru/kernel_common, lru/kernel_percpu */
	FAULT_TARGET_ONE_MORE,  /* the free target is a node larger */
	FAULT_FLUSH_FROM_HEAD,  /* pending nodes are flushed youngest first */
	FAULT_STEAL_FROM_HEAD,  /* stealing takes the youngest pending node */
	FAULT_STEAL_AT_SELF,    /* the steal cursor begins at the CPU itself each time */
	FAULT_GIVE_BACK_TO_OWN, /* a pending node goes to the CPU that gives it back */
	FAULT_PERCPU_OWN_LIST,  /* likewise a per-CPU LRU's */
	/* htab */
	FAULT_LOOKUP_UNMARKED,  /* a program's look-up sets no bit */
	FAULT_SYSCALL_MARKS,    /* a look-up by system call sets it */
	FAULT_UPDATE_UNMARKED,  /* an update of a key that was there sets no bit */
	FAULT_NOEXIST_KEEPS,    /* a refused update does not give its node back */
	FAULT_EXIST_TAKES_NODE, /* LRU_PERCPU_HASH takes a node for EXIST, too */
	FAULT_UPDATE_IN_PLACE,  /* an update leaves the element's place in its bucket */
	FAULT_SPARE_UNUSED,     /* an update takes from the free list instead of the spare */
	FAULT_ONE_TOO_MANY,     /* a map without preallocation takes one element too many */
	FAULT_VALUES_LEFT,      /* a new element has old values on other CPUs */
	/* iter */
	FAULT_NEXT_OF_MISSING, /* a key that is not there ends the iteration */
	FAULT_BATCH_ROOM,      /* a bucket that would fill the room exactly is not copied */
	FAULT_BATCH_CURSOR,    /* a batch goes on behind the bucket that had no room */
	FAULTS
};

#endif
