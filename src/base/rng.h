/* SPDX-License-Identifier: MIT */
/*
 * rng: random streams. Every stream of a run is derived from the one seed by who uses it and for
 * what, so that two runs with the same seed and thread count draw the same numbers, whatever the
 * timing. The generator is xoshiro256++ (Blackman and Vigna, public domain), seeded through
 * splitmix64.
 */
#ifndef IOLTP_BASE_RNG_H
#define IOLTP_BASE_RNG_H

#include <stdint.h>

/* What a stream is for. Adding one at the end keeps the others as they are. */
enum rng_use {
	RNG_KEYS,     /* integers drawn by the workload */
	RNG_STRINGS,  /* text drawn by the workload */
	RNG_MIX,      /* choice of the transaction type */
	RNG_THINK,    /* keying and think times */
	RNG_ARRIVALS, /* open loop schedule */
	RNG_BACKOFF,  /* waits before retries */
	RNG_DRIVER,   /* modelled delays of the null driver */
	RNG_ROWS,     /* generated table rows */
	RNG_SCRIPT,   /* math.random */
	RNG_USES
};

struct rng {
	uint64_t s[4];
};

/*
 * Streams with different (seed, owner, use) are independent. `owner`: a client's number, a row's,
 * any id.
 */
void rng_init(struct rng *r, uint64_t seed, uint64_t owner, enum rng_use use);

static inline uint64_t rng_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

/* 64 random bits. */
static inline uint64_t rng_u64(struct rng *r)
{
	const uint64_t result = rng_rotl(r->s[0] + r->s[3], 23) + r->s[0];
	const uint64_t t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rng_rotl(r->s[3], 45);
	return result;
}

/* Uniform in [0, 1), 53 bits. */
static inline double rng_double(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1.0p-53;
}

/* Uniform in [0, n) without bias; n = 0 means the full 64-bit range. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	unsigned __int128 m;

	if (n == 0)
		return rng_u64(r);
	/* Lemire's multiply-and-reject: one multiplication in nearly all draws. */
	m = (unsigned __int128)rng_u64(r) * n;
	if ((uint64_t)m < n) {
		uint64_t threshold = (0 - n) % n;

		while ((uint64_t)m < threshold)
			m = (unsigned __int128)rng_u64(r) * n;
	}
	return (uint64_t)(m >> 64);
}

/* Exponential with the given mean (any unit), never negative. */
double rng_exponential(struct rng *r, double mean);

/*
 * Fills `out` from a template: '#' a digit, '@' a letter a-z, any other byte itself. Writes exactly
 * len bytes, no NUL.
 */
void rng_template(struct rng *r, const char *fmt, char *out, uint64_t len);

/*
 * `k`-th value of a permutation of all 32-bit numbers that depends on the seed: no value twice for
 * k < 2^32.
 */
uint32_t rng_permute32(uint64_t seed, uint32_t k);
/* The same of the numbers below n, 1 to 2^32: k < n is sent to one of them, each k to another. */
uint64_t rng_permute_below(uint64_t seed, uint64_t k, uint64_t n);

#endif
