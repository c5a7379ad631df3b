/* SPDX-License-Identifier: MIT */
/*
 * gen: makers of table rows. A generator turns a number 1..N into the rows that belong to it (a
 * unit): one row for most tables, several where a table's rows come in groups. The same number
 * gives the same rows, always.
 *
 * An open generator belongs to one thread.
 */
#ifndef IOLTP_LOAD_GEN_H
#define IOLTP_LOAD_GEN_H

#include <stdint.h>

#include "base/dist.h"
#include "base/err.h"
#include "base/kv.h"
#include "base/rng.h"
#include "sql/driver.h"

/* What a generator is opened with; all of it outlives the generator. */
struct gen_config {
	const char *table;
	uint64_t units; /* numbers 1..units are asked for */
	uint64_t seed;  /* of this table: differs from table to table */
	const struct dist_params *dist;
	const struct kv *params; /* may be NULL */
};

struct gen {
	const struct gen_ops *ops;
	struct gen_config config;
	/* ---- set by open ---- */
	const char *const *columns; /* in the order of the values */
	unsigned ncolumns;
	unsigned unit_rows;  /* at most so many rows per unit */
	unsigned unit_bytes; /* at most so many bytes of text per unit */
	void *impl;
};

struct gen_ops {
	const char *name;
	/* Reads config.params and fills in the rest. 0; -EINVAL with `err`: a parameter out of
	 * range; -ENOMEM. */
	int (*open)(struct gen *gen, struct err *err);
	/* Frees impl. NULL: there is nothing to free. */
	void (*close)(struct gen *gen);
	/*
	 * The rows of unit `number`: ncolumns values each into values[], their texts into text[].
	 * Returns the number of rows and moves *text behind what it used.
	 */
	unsigned (*unit)(struct gen *gen, uint64_t number, struct bulk_value *values, char **text);
};

/* Opens one by name. 0; -EINVAL with `err`: nobody has that name, or a parameter is out of range;
 * -ENOMEM with `err`. */
int gen_open(struct gen *gen, const char *name, const struct gen_config *config, struct err *err);
void gen_close(struct gen *gen);

/* A whole parameter within [min, max]; `def` when it was not given. 0, or -EINVAL with `err`. */
int gen_param_int(const struct gen *gen, const char *key, int64_t def, int64_t min, int64_t max,
                  int64_t *value, struct err *err);

/* n digits at *text, which moves behind them. */
void gen_digits(struct rng *rng, char **text, unsigned n);

static inline struct bulk_value gen_int(int64_t i)
{
	return (struct bulk_value){.kind = BULK_INT, .i = i};
}

static inline struct bulk_value gen_text(const char *text, size_t len)
{
	return (struct bulk_value){.kind = BULK_TEXT, .text = text, .len = len};
}

/*
 * "oltp": id = the number, k drawn from 1..k_range by the run's default distribution, c of 119 and
 * pad of 59 characters (groups of 11 digits joined by '-'). Parameters: k_range (default: the
 * rows).
 */
extern const struct gen_ops gen_oltp;

/* "bank": id = the number, balance, filler of 84 digits. Parameters: balance (default 0). */
extern const struct gen_ops gen_bank;

#endif
