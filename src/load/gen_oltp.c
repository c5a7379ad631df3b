/* SPDX-License-Identifier: MIT */
#include "load/gen.h"

#include <errno.h>
#include <stdlib.h>

enum { GROUP_DIGITS = 11, C_GROUPS = 10, PAD_GROUPS = 5 };
enum {
	C_BYTES = C_GROUPS * (GROUP_DIGITS + 1) - 1,
	PAD_BYTES = PAD_GROUPS * (GROUP_DIGITS + 1) - 1
};

static const char *const columns[] = {"id", "k", "c", "pad"};

struct oltp {
	int64_t k_range;
	struct dist_zipf zipf; /* constants of the range, worked out once */
};

static int oltp_open(struct gen *gen, struct err *err)
{
	int64_t rows = gen->config.units > 0 ? (int64_t)gen->config.units : 1;
	struct oltp *oltp;
	int64_t k_range;
	int rc = gen_param_int(gen, "k_range", rows, 1, INT64_MAX, &k_range, err);

	if (rc != 0)
		return rc;
	oltp = calloc(1, sizeof(*oltp));
	if (oltp == NULL)
		return -ENOMEM;
	oltp->k_range = k_range;
	gen->columns = columns;
	gen->ncolumns = 4;
	gen->unit_rows = 1;
	gen->unit_bytes = C_BYTES + PAD_BYTES;
	gen->impl = oltp;
	return 0;
}

static void oltp_close(struct gen *gen)
{
	free(gen->impl);
}

static struct bulk_value put_groups(struct rng *rng, char **text, unsigned groups)
{
	const char *begin = *text;

	for (unsigned i = 0; i < groups; i++) {
		if (i > 0)
			*(*text)++ = '-';
		gen_digits(rng, text, GROUP_DIGITS);
	}
	return gen_text(begin, (size_t)(*text - begin));
}

static unsigned oltp_unit(struct gen *gen, uint64_t number, struct bulk_value *values, char **text)
{
	struct oltp *oltp = gen->impl;
	const struct dist_params *dist = gen->config.dist;
	struct rng rng;

	rng_init(&rng, gen->config.seed, number, RNG_ROWS);
	values[0] = gen_int((int64_t)number);
	values[1] = gen_int(dist_draw(&rng, dist, dist->type, &oltp->zipf, 1, oltp->k_range));
	values[2] = put_groups(&rng, text, C_GROUPS);
	values[3] = put_groups(&rng, text, PAD_GROUPS);
	return 1;
}

const struct gen_ops gen_oltp = {
    .name = "oltp",
    .open = oltp_open,
    .close = oltp_close,
    .unit = oltp_unit,
};
