/* SPDX-License-Identifier: MIT */
#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define GOLDEN 0x9e3779b97f4a7c15ull /* splitmix64's increment: 2^64 / golden ratio, odd */

/* splitmix64's output function: a bijection of 64 bits in which each input bit moves half of the
 * output. */
static uint64_t mix64(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

void rng_init(struct rng *r, uint64_t seed, uint64_t owner, enum rng_use use)
{
	uint64_t key = mix64(mix64(seed + GOLDEN) + ((uint64_t)use + 1) * GOLDEN);

	/*
	 * Each word is a bijection of the owner, so that a billion rows have a billion different
	 * streams. The words' offsets differ, so that at most one word can be zero, never all four.
	 */
	for (uint64_t i = 0; i < 4; i++)
		r->s[i] = mix64(owner + mix64(key + (i + 1) * GOLDEN));
}

double rng_exponential(struct rng *r, double mean)
{
	/* (0, 1]: its logarithm is finite. Zero is added to turn a minus zero into zero. */
	double u = (double)((rng_u64(r) >> 11) + 1) * 0x1.0p-53;

	return -mean * log(u) + 0.0;
}

/*
 * Templates are filled 16 characters at a time. Lane i of 8 lanes of 16 random bits makes the
 * characters 2i and 2i+1: the lane, read as a fraction of 2^16, times the number of choices of the
 * first character gives that choice and a new fraction, which makes the second one. A lane is fair
 * unless the fraction that is left at the end is below 2^16 mod (product of the choices) (Lemire);
 * the block is drawn again then. Characters that stand for themselves take part with any choice,
 * which is then not used.
 */
#define BLOCK 16

#define DIGITS_2_CUT  36u  /* 2^16 mod (10 * 10) */
#define LETTERS_2_CUT 640u /* 2^16 mod (26 * 26) */

/* gcc keeps a generator whose address is passed on in memory: half the speed. */
#define IN_REGISTERS static inline __attribute__((always_inline))

#if defined(__SSE2__)

/* 16 characters base + [0, n); n and cut are those of all lanes. */
IN_REGISTERS __m128i draw_block(struct rng *r, short n, short cut, char base)
{
	const __m128i choices = _mm_set1_epi16(n);
	const __m128i cuts = _mm_set1_epi16(cut);

	for (;;) {
		uint64_t low = rng_u64(r);
		uint64_t high = rng_u64(r);
		__m128i w = _mm_set_epi64x((long long)high, (long long)low);
		__m128i first = _mm_mulhi_epu16(w, choices);
		__m128i rest = _mm_mullo_epi16(w, choices);
		__m128i second = _mm_mulhi_epu16(rest, choices);
		/* cut - left, saturated at 0, is 0 in each fair lane. */
		__m128i unfair = _mm_subs_epu16(cuts, _mm_mullo_epi16(rest, choices));

		if (_mm_movemask_epi8(_mm_cmpeq_epi16(unfair, _mm_setzero_si128())) == 0xffff)
			return _mm_add_epi8(_mm_or_si128(first, _mm_slli_epi16(second, 8)),
			                    _mm_set1_epi8(base));
	}
}

IN_REGISTERS __m128i choose(__m128i mask, __m128i yes, __m128i no)
{
	return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

/* Fills one block of 16; `fmt` and `out` may be the same. */
IN_REGISTERS void fill_block(struct rng *r, const char *fmt, char *out)
{
	__m128i text = _mm_loadu_si128((const __m128i *)(const void *)fmt);
	__m128i is_digit = _mm_cmpeq_epi8(text, _mm_set1_epi8('#'));
	__m128i is_letter = _mm_cmpeq_epi8(text, _mm_set1_epi8('@'));

	if (_mm_movemask_epi8(is_digit) != 0)
		text = choose(is_digit, draw_block(r, 10, DIGITS_2_CUT, '0'), text);
	if (_mm_movemask_epi8(is_letter) != 0)
		text = choose(is_letter, draw_block(r, 26, LETTERS_2_CUT, 'a'), text);
	_mm_storeu_si128((__m128i *)(void *)out, text);
}

#else

/* The same, lane by lane, with the same results. */
IN_REGISTERS void draw_block(struct rng *r, uint32_t n, uint32_t cut, char base, char *chars)
{
	bool fair;

	do {
		uint64_t random[2];

		random[0] = rng_u64(r);
		random[1] = rng_u64(r);
		fair = true;
		for (unsigned i = 0; i < BLOCK / 2; i++) {
			uint32_t first = (uint32_t)(random[i / 4] >> (16 * (i % 4)) & 0xffff) * n;
			uint32_t second = (first & 0xffff) * n;

			chars[2 * i] = (char)(base + (char)(first >> 16));
			chars[2 * i + 1] = (char)(base + (char)(second >> 16));
			fair = fair && (second & 0xffff) >= cut;
		}
	} while (!fair);
}

IN_REGISTERS void fill_block(struct rng *r, const char *fmt, char *out)
{
	char chars[BLOCK];
	char text[BLOCK];

	memcpy(text, fmt, BLOCK);
	if (memchr(fmt, '#', BLOCK) != NULL) {
		draw_block(r, 10, DIGITS_2_CUT, '0', chars);
		for (unsigned i = 0; i < BLOCK; i++)
			text[i] = fmt[i] == '#' ? chars[i] : text[i];
	}
	if (memchr(fmt, '@', BLOCK) != NULL) {
		draw_block(r, 26, LETTERS_2_CUT, 'a', chars);
		for (unsigned i = 0; i < BLOCK; i++)
			text[i] = fmt[i] == '@' ? chars[i] : text[i];
	}
	memcpy(out, text, BLOCK);
}

#endif

void rng_template(struct rng *r, const char *fmt, char *out, uint64_t len)
{
	/* In registers: the compiler cannot know that `out` is not the generator. */
	struct rng local = *r;
	uint64_t i = 0;

	for (; len - i >= BLOCK; i += BLOCK)
		fill_block(&local, fmt + i, out + i);
	if (i < len) {
		char rest[BLOCK] = {0};

		memcpy(rest, fmt + i, len - i);
		fill_block(&local, rest, rest);
		memcpy(out + i, rest, len - i);
	}
	*r = local;
}

/* One round on the numbers of `bits` bits: adding, an odd factor, xor with a right shift of itself
 * can each be undone. */
static uint64_t mix_bits(uint64_t x, uint64_t key, unsigned bits)
{
	const uint64_t mask = (1ull << bits) - 1;
	const unsigned half = (bits + 1) / 2;

	x = (x + key) & mask;
	x = ((x ^ x >> half) * 0x7feb352du) & mask;
	x = ((x ^ x >> half) * 0x846ca68bu) & mask;
	return x ^ x >> half;
}

uint64_t rng_permute_below(uint64_t seed, uint64_t k, uint64_t n)
{
	uint64_t key = mix64(seed + GOLDEN);
	unsigned bits = n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 1;

	/* A number from outside is mixed again: going on in a cycle of the permutation of all, it
	 * comes to one inside, and to another than all others do. At most half are outside. */
	do {
		for (unsigned round = 0; round < 3; round++)
			k = mix_bits(k, key >> (16 * round), bits);
	} while (k >= n);
	return k;
}

uint32_t rng_permute32(uint64_t seed, uint32_t k)
{
	uint64_t key = mix64(seed + GOLDEN);
	uint32_t x = k;

	/* Each step can be undone: adding, an odd factor, xor with a right shift of itself. */
	for (unsigned round = 0; round < 2; round++) {
		x += (uint32_t)(key >> (32 * round));
		x = (x ^ x >> 16) * 0x7feb352du;
		x = (x ^ x >> 15) * 0x846ca68bu;
		x ^= x >> 16;
	}
	return x;
}
