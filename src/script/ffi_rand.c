/* SPDX-License-Identifier: MIT */
/* ffi_rand: random numbers and strings, for Lua; every draw comes from the client's own streams. */
#include "script/export.h"

#include <math.h>
#include <stdlib.h>

#include "base/dist.h"
#include "script/state.h"

static struct script_client *own_data(void)
{
	return client_now->data;
}

/* Lua's numbers are doubles: cut to what an int64_t holds. */
static int64_t to_int(double v)
{
	if (v >= 9223372036854775807.0)
		return INT64_MAX;
	if (v <= -9223372036854775808.0)
		return INT64_MIN;
	return v == v ? (int64_t)v : 0;
}

double ioltp_rand_default(double a, double b)
{
	struct script_client *sc = own_data();
	const struct dist_params *p = &sc->script->dist;

	return (double)dist_draw(&client_now->rng[RNG_KEYS], p, p->type, &sc->zipf, to_int(a),
	                         to_int(b));
}

int64_t ioltp_rand64(int kind, int64_t a, int64_t b)
{
	struct script_client *sc = own_data();
	const struct dist_params *p = &sc->script->dist;

	return dist_draw(&client_now->rng[RNG_KEYS], p, kind < 0 ? p->type : (enum dist_type)kind,
	                 &sc->zipf, a, b);
}

double ioltp_rand(int kind, double a, double b)
{
	return (double)ioltp_rand64(kind, to_int(a), to_int(b));
}

uint64_t ioltp_rand_u64(void)
{
	return rng_u64(&client_now->rng[RNG_KEYS]);
}

double ioltp_rand_double(void)
{
	return rng_double(&client_now->rng[RNG_KEYS]);
}

/*
 * Clients take every n-th number of one seeded permutation of the 32-bit numbers: no two clients of
 * a process draw the same, nor does one twice before all are used up, and each client's numbers do
 * not depend on the others' pace.
 */
double ioltp_rand_unique(void)
{
	struct script_client *sc = own_data();
	uint32_t k = sc->unique_first + sc->unique_step * sc->unique++;

	return (double)rng_permute32(sc->script->seed, k);
}

/* How many of that range were drawn before, in the whole process: only so are all used before any
 * comes again, however differently fast the clients are. */
static uint64_t drawn_before(struct script *s, uint64_t below)
{
	unsigned i;

	for (i = 0; i + 1 < SCRIPT_UNIQUE_RANGES; i++) {
		uint64_t taken = 0;

		if (__atomic_compare_exchange_n(&s->unique[i].below, &taken, below, false,
		                                __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		    taken == below)
			break;
	}
	return __atomic_fetch_add(&s->unique[i].drawn, 1, __ATOMIC_RELAXED);
}

double ioltp_rand_unique_below(double n)
{
	struct script *s = own_data()->script;
	uint64_t below = (uint64_t)n;

	return (double)rng_permute_below(s->seed, drawn_before(s, below) % below, below);
}

const char *ioltp_rand_template(const char *fmt, size_t len)
{
	struct strbuf *sb = &own_data()->text;

	strbuf_reset(sb);
	strbuf_add(sb, fmt, len);
	if (sb->failed || sb->text == NULL)
		return "";
	rng_template(&client_now->rng[RNG_STRINGS], fmt, sb->text, len);
	return sb->text;
}

const char *ioltp_rand_varstring(uint32_t min, uint32_t max, size_t *len)
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	struct strbuf *sb = &own_data()->text;
	struct rng *rng = &client_now->rng[RNG_STRINGS];
	uint64_t n = max > min ? min + rng_below(rng, (uint64_t)max - min + 1) : min;

	strbuf_reset(sb);
	for (uint64_t i = 0; i < n; i++)
		strbuf_addc(sb, alphabet[rng_below(rng, sizeof(alphabet) - 1)]);
	*len = sb->len;
	return strbuf_str(sb);
}
