/* SPDX-License-Identifier: MIT */
#include "load/gen.h"

#include <errno.h>
#include <stdlib.h>

enum { FILLER_BYTES = 84 };

static const char *const columns[] = {"id", "balance", "filler"};

struct bank {
	int64_t balance;
};

static int bank_open(struct gen *gen, struct err *err)
{
	struct bank *bank;
	int64_t balance;
	int rc = gen_param_int(gen, "balance", 0, INT64_MIN, INT64_MAX, &balance, err);

	if (rc != 0)
		return rc;
	bank = calloc(1, sizeof(*bank));
	if (bank == NULL)
		return -ENOMEM;
	bank->balance = balance;
	gen->columns = columns;
	gen->ncolumns = 3;
	gen->unit_rows = 1;
	gen->unit_bytes = FILLER_BYTES;
	gen->impl = bank;
	return 0;
}

static void bank_close(struct gen *gen)
{
	free(gen->impl);
}

static unsigned bank_unit(struct gen *gen, uint64_t number, struct bulk_value *values, char **text)
{
	const struct bank *bank = gen->impl;
	const char *filler = *text;
	struct rng rng;

	/* Random, so that a drive or filesystem that compresses gains nothing. */
	rng_init(&rng, gen->config.seed, number, RNG_ROWS);
	gen_digits(&rng, text, FILLER_BYTES);
	values[0] = gen_int((int64_t)number);
	values[1] = gen_int(bank->balance);
	values[2] = gen_text(filler, FILLER_BYTES);
	return 1;
}

const struct gen_ops gen_bank = {
    .name = "bank",
    .open = bank_open,
    .close = bank_close,
    .unit = bank_unit,
};
