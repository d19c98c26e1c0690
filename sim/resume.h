/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows of a sweep in a file to which they are appended one by one, so that a sweep that ended
 * early, however it did, goes on where it was. FILE is CSV; FILE.experiment, written before it,
 * says in lines of "name = value" what sweep the rows are of. Whatever happens, FILE is a header
 * and rows in the sweep's order, the last of them possibly torn.
 */
#ifndef SIM_RESUME_H
#define SIM_RESUME_H

#include "base/record.h"
#include "sim/sweep.h"

struct resume {
	char *path;
	int fd;
	struct record header; /* its columns */
	uint64_t rows;        /* that the file has */
	uint64_t bad_rows;    /* of these, those with an error */
};

/*
 * Opens the file of a sweep, or makes it, and takes away a torn last row. columns is a
 * NULL-terminated list of names that results have; the column error is added when it is missing.
 * Returns 0, or a negative errno with error: -EINVAL when the file is of another sweep, naming the
 * difference, or damaged, as when what its columns say of a run is not that of the run whose row it
 * should be; -EBUSY when another process has it open; or what the system says. Then
 * nothing was changed.
 */
int resume_open(struct resume *resume, const char *path, const struct sweep *sweep,
		const char *const *columns, struct error *error);

/*
 * Appends a row. Returns 0, or a negative errno with error, on a full disk say; then the row is not
 * there, unless the system keeps even that from being undone, which resume_open() would see.
 */
int resume_add(struct resume *resume, const struct record *record, struct error *error);

/* Takes a zeroed one, too. Returns 0, or a negative errno with error. */
int resume_close(struct resume *resume, struct error *error);

#endif
