/* SPDX-License-Identifier: MIT */
#include "base/dist.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The order of enum dist_type. */
static const char *const names[] = {"uniform", "gaussian", "special",
                                    "pareto",  "zipfian",  "exponential"};

const struct opt_desc dist_options[] = {
    {.name = "rand-type",
     .type = OPT_ENUM,
     .def = "special",
     .choices = "uniform|gaussian|special|pareto|zipfian|exponential",
     .help = "distribution of the random numbers that a workload draws without naming one"},
    {.name = "rand-spec-iter",
     .type = OPT_INT,
     .def = "12",
     .range = "1..1000000",
     .unit = "numbers",
     .help = "gaussian, special: uniform numbers averaged for one draw"},
    {.name = "rand-spec-pct",
     .type = OPT_DOUBLE,
     .def = "1",
     .range = "0..100",
     .unit = "per cent",
     .help = "special: part of the range, in its middle, whose values are special"},
    {.name = "rand-spec-res",
     .type = OPT_DOUBLE,
     .def = "75",
     .range = "0..100",
     .unit = "per cent",
     .help = "special: part of the draws that are special values"},
    {.name = "rand-pareto-h",
     .type = OPT_DOUBLE,
     .def = "0.2",
     .range = "(0..1)",
     .help = "pareto: the first h of the range gets 1 - h of the draws"},
    {.name = "rand-zipfian-exp",
     .type = OPT_DOUBLE,
     .def = "0.8",
     .range = "0..",
     .help = "zipfian: exponent; the k-th value is drawn in proportion to k^-exponent"},
    {.name = "rand-exp-pct",
     .type = OPT_DOUBLE,
     .def = "10",
     .range = "(0..90)",
     .unit = "per cent",
     .help = "exponential: part of the range, at its start, that gets 90 % of the draws"},
    OPT_END,
};

/* The share of exponential draws that falls into the first x of the range. */
static double exp_share(double gamma, double x)
{
	return expm1(-gamma * x) / expm1(-gamma);
}

/* The gamma that puts 90 % of the draws into the first x of the range, x in (0, 0.9). */
static double exp_gamma_from(double x)
{
	/* At low the share is too small, at high too large: without the cut at 1 it would be ln(10)
	 * / x. */
	double low = 1e-12;
	double high = 2.5 / x + 10;

	for (unsigned i = 0; i < 200; i++) {
		double middle = low + (high - low) / 2;

		if (exp_share(middle, x) < 0.9)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void dist_params_from(struct dist_params *p, const struct opt_set *set)
{
	double h = opt_double(set, "rand-pareto-h");

	/* The option's choices are the names, so that this cannot fail. */
	if (dist_type_parse(opt_str(set, "rand-type"), &p->type) != 0)
		p->type = DIST_SPECIAL;
	p->iter = (unsigned)opt_int(set, "rand-spec-iter");
	p->special_pct = opt_double(set, "rand-spec-pct");
	p->special_res = opt_double(set, "rand-spec-res");
	p->pareto_power = log(h) / log1p(-h);
	p->zipf_exp = opt_double(set, "rand-zipfian-exp");
	p->exp_gamma = exp_gamma_from(opt_double(set, "rand-exp-pct") / 100);
}

int dist_type_parse(const char *name, enum dist_type *type)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0) {
			*type = (enum dist_type)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *dist_type_name(enum dist_type type)
{
	return names[type];
}

/* A range as its lowest value and its largest offset (n - 1, which always fits). */
struct span {
	uint64_t base;
	uint64_t last;
};

static inline struct span span_of(int64_t a, int64_t b)
{
	int64_t low = a < b ? a : b;
	int64_t high = a < b ? b : a;

	return (struct span){(uint64_t)low, (uint64_t)high - (uint64_t)low};
}

/* Two's complement, so that the sum is right for all ranges. */
static inline int64_t at(struct span s, uint64_t offset)
{
	return (int64_t)(s.base + offset);
}

/* n as a double: 2^64 exactly for the full range. */
static inline double count_of(struct span s)
{
	return (double)s.last + 1.0;
}

/*
 * The value of a real offset >= 0. The formulas are exact to some 2^-50, so that the low bits of a
 * large offset are few patterns, or zero from 2^53 on: random ones take their place.
 */
static inline int64_t at_real(struct rng *r, struct span s, double offset)
{
	uint64_t whole;

	if (__builtin_expect(offset < 0x1p48, 1)) {
		whole = (uint64_t)offset;
	} else if (offset < 0x1p64) {
		uint64_t low_bits = (1ull << (ilogb(offset) - 47)) - 1;

		whole = ((uint64_t)offset & ~low_bits) | (rng_u64(r) & low_bits);
	} else {
		whole = UINT64_MAX;
	}
	/* Rounding in the formula may have reached n. */
	return at(s, whole < s.last ? whole : s.last);
}

/* The mean of `iter` uniform numbers, as a fraction of 2^64. */
static inline uint64_t mean_u64(struct rng *r, unsigned iter)
{
	struct rng local = *r;
	unsigned __int128 sum = 0;

	for (unsigned i = 0; i < iter; i++)
		sum += rng_u64(&local);
	*r = local;
	return (uint64_t)(sum / iter);
}

int64_t dist_uniform(struct rng *r, int64_t a, int64_t b)
{
	struct span s = span_of(a, b);

	return at(s, rng_below(r, s.last + 1));
}

int64_t dist_gaussian(struct rng *r, const struct dist_params *p, int64_t a, int64_t b)
{
	struct span s = span_of(a, b);
	uint64_t mean = mean_u64(r, p->iter);

	/* mean * n / 2^64, without an n that overflows. */
	return at(s, (uint64_t)(((unsigned __int128)mean * s.last + mean) >> 64));
}

int64_t dist_special(struct rng *r, const struct dist_params *p, int64_t a, int64_t b)
{
	struct span s = span_of(a, b);
	double t = (double)s.last;
	double u = rng_double(r);
	double band = t * p->special_pct / 100;

	/* r < t for r = u * t * 100 / (100 - res), without dividing by zero when all draws are
	 * special. */
	if (u * 100 < 100 - p->special_res)
		return at(s, (uint64_t)(((unsigned __int128)mean_u64(r, p->iter) * s.last) >> 64));
	return at_real(r, s, u * (band + 1) + (t - band) / 2);
}

int64_t dist_pareto(struct rng *r, const struct dist_params *p, int64_t a, int64_t b)
{
	struct span s = span_of(a, b);

	return at_real(r, s, count_of(s) * pow(rng_double(r), p->pareto_power));
}

int64_t dist_exponential(struct rng *r, const struct dist_params *p, int64_t a, int64_t b)
{
	struct span s = span_of(a, b);
	double u = rng_double(r);

	/* The inverse of exp_share. */
	if (p->exp_gamma > 0)
		u = log1p(u * expm1(-p->exp_gamma)) / -p->exp_gamma;
	return at_real(r, s, u * count_of(s));
}

/*
 * Zipfian by rejection-inversion (Hoermann and Derflinger, 1996): rank k has probability in
 * proportion to h(k) = k^-exp. A point x is drawn under the hat h, whose integral H and its inverse
 * are known, and is rounded to the nearest rank k. It is accepted when it falls into the part of
 * k's interval that has the area h(k).
 */

/* expm1(x) / x and log1p(x) / x, continued at 0. */
static double expm1_over(double x)
{
	return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double log1p_over(double x)
{
	return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

/* H(x) = (x^(1 - exp) - 1) / (1 - exp), ln(x) at exp = 1, in a form that is exact near 1 as well.
 */
static double zipf_integral(double x, double exponent)
{
	double log_x = log(x);

	return expm1_over((1 - exponent) * log_x) * log_x;
}

static double zipf_inverse(double y, double exponent)
{
	double t = y * (1 - exponent);

	/* Rounding can step over the pole. */
	return exp(log1p_over(t < -1 ? -1 : t) * y);
}

static double zipf_density(double k, double exponent)
{
	return exp(-exponent * log(k));
}

static void zipf_prepare(struct dist_zipf *z, double n, double exponent)
{
	z->n = n;
	z->exp = exponent;
	z->h_x1 = zipf_integral(1.5, exponent) - 1;
	z->h_n = zipf_integral(n + 0.5, exponent);
	z->s = 2 - zipf_inverse(zipf_integral(2.5, exponent) - zipf_density(2, exponent), exponent);
}

int64_t dist_zipfian(struct rng *r, const struct dist_params *p, struct dist_zipf *z, int64_t a,
                     int64_t b)
{
	/* Rank 2 would be drawn less than once in 2^64. */
	const double exp_only_first = 64;
	/* Beyond, about 1 in 2^60 would be rejected, and rounding in H would decide which. */
	const double rank_always = 0x1p30;
	struct span s = span_of(a, b);
	double n = count_of(s);

	if (s.last == 0 || p->zipf_exp >= exp_only_first)
		return at(s, 0);
	if (z->n != n || z->exp != p->zipf_exp)
		zipf_prepare(z, n, p->zipf_exp);
	for (;;) {
		/* From the first rank's end: the pole at the other one is left out. */
		double y = z->h_x1 + rng_double(r) * (z->h_n - z->h_x1);
		double x = zipf_inverse(y, z->exp);
		double k = floor(x + 0.5);

		if (k < 1)
			k = 1;
		else if (k > n)
			k = n;
		if (k > rank_always || k - x <= z->s ||
		    y >= zipf_integral(k + 0.5, z->exp) - zipf_density(k, z->exp))
			return at_real(r, s, k - 1);
	}
}

int64_t dist_draw(struct rng *r, const struct dist_params *p, enum dist_type type,
                  struct dist_zipf *z, int64_t a, int64_t b)
{
	switch (type) {
	case DIST_UNIFORM:
		return dist_uniform(r, a, b);
	case DIST_GAUSSIAN:
		return dist_gaussian(r, p, a, b);
	case DIST_SPECIAL:
		return dist_special(r, p, a, b);
	case DIST_PARETO:
		return dist_pareto(r, p, a, b);
	case DIST_ZIPFIAN:
		return dist_zipfian(r, p, z, a, b);
	case DIST_EXPONENTIAL:
		return dist_exponential(r, p, a, b);
	}
	return dist_uniform(r, a, b);
}
