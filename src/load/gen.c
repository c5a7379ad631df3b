/* SPDX-License-Identifier: MIT */
#include "load/gen.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/strbuf.h"

static const struct gen_ops *const all[] = {&gen_bank, &gen_oltp, NULL};

static int unknown(const char *name, struct err *err)
{
	struct strbuf names = STRBUF_INIT;

	for (unsigned i = 0; all[i] != NULL; i++)
		strbuf_addf(&names, "%s%s", i > 0 ? ", " : "", all[i]->name);
	err_usage(err, "generator %s: there is none of that name; use one of: %s", name,
	          strbuf_str(&names));
	strbuf_fini(&names);
	return -EINVAL;
}

int gen_open(struct gen *gen, const char *name, const struct gen_config *config, struct err *err)
{
	int rc;

	*gen = (struct gen){.config = *config};
	for (unsigned i = 0; all[i] != NULL; i++) {
		if (strcmp(all[i]->name, name) == 0)
			gen->ops = all[i];
	}
	if (gen->ops == NULL)
		return unknown(name, err);
	rc = gen->ops->open(gen, err);
	if (rc == -ENOMEM)
		err_run(err, "generator %s: out of memory; free some", name);
	if (rc != 0)
		gen->ops = NULL;
	return rc;
}

void gen_close(struct gen *gen)
{
	if (gen->ops != NULL && gen->ops->close != NULL)
		gen->ops->close(gen);
	gen->ops = NULL;
}

/* Scripts have doubles only: a whole one is as good as an integer. */
static int to_int(const struct kv_item *item, int64_t *value)
{
	if (item->type == KV_INT) {
		*value = item->i;
		return 0;
	}
	if (item->type != KV_DOUBLE || !(fabs(item->d) < 0x1p63) || item->d != floor(item->d))
		return -EINVAL;
	*value = (int64_t)item->d;
	return 0;
}

int gen_param_int(const struct gen *gen, const char *key, int64_t def, int64_t min, int64_t max,
                  int64_t *value, struct err *err)
{
	const struct kv_item *item =
	    gen->config.params != NULL ? kv_find(gen->config.params, key) : NULL;

	*value = def;
	if (item == NULL)
		return 0;
	if (to_int(item, value) != 0)
		return err_usage(
		    err, "generator %s: %s=%s is not a whole number; give one from %lld to %lld",
		    gen->ops->name, key, item->text, (long long)min, (long long)max);
	if (*value < min || *value > max)
		return err_usage(
		    err, "generator %s: %s=%s is out of range; give a number from %lld to %lld",
		    gen->ops->name, key, item->text, (long long)min, (long long)max);
	return 0;
}

/* Two digits a table entry: half the divisions. */
static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

static char *put_digits(char *at, uint32_t value, unsigned n)
{
	char *end = at + n;

	for (; n >= 2; n -= 2, value /= 100)
		memcpy(at + n - 2, pairs + 2 * (value % 100), 2);
	if (n == 1)
		at[0] = (char)('0' + value % 10);
	return end;
}

void gen_digits(struct rng *rng, char **text, unsigned n)
{
	/* Nine digits a half of a draw: 10^9 fits 32 bits, and 32-bit divisions are fast. */
	while (n > 0) {
		uint64_t draw = rng_u64(rng);
		unsigned take = n < 9 ? n : 9;

		*text = put_digits(*text, (uint32_t)(((draw >> 32) * 1000000000u) >> 32), take);
		n -= take;
		take = n < 9 ? n : 9;
		*text =
		    put_digits(*text, (uint32_t)(((draw & UINT32_MAX) * 1000000000u) >> 32), take);
		n -= take;
	}
}
