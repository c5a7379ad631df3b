/* SPDX-License-Identifier: MIT */
/*
 * dist: integer distributions over [a, b], both included, any signed 64-bit ends with a <= b (a > b
 * is taken as [b, a]). Formulas follow the page docs/lua-api.md ("Random numbers"); n = b - a + 1
 * may be 2^64.
 */
#ifndef IOLTP_BASE_DIST_H
#define IOLTP_BASE_DIST_H

#include <stdint.h>

#include "base/err.h"
#include "base/opt.h"
#include "base/rng.h"

enum dist_type {
	DIST_UNIFORM,
	DIST_GAUSSIAN,
	DIST_SPECIAL,
	DIST_PARETO,
	DIST_ZIPFIAN,
	DIST_EXPONENTIAL
};

/* Parameters shared by all ranges of a run; read-only after dist_params_from. */
struct dist_params {
	enum dist_type type; /* what "default" means */
	unsigned iter;       /* gaussian, special: uniforms averaged, >= 1 */
	double special_pct;  /* special: per cent of the range that is special */
	double special_res;  /* special: per cent of hits that go there */
	double pareto_power; /* log(h) / log(1 - h) */
	double zipf_exp;     /* exponent, >= 0 */
	/*
	 * exponential: P(value in the first x of the range) = (1 - e^(-gamma x)) / (1 - e^-gamma);
	 * from --rand-exp-pct, >= 0 (0: uniform).
	 */
	double exp_gamma;
};

/*
 * Per-range constants of the zipfian sampler, kept by the caller for speed (one per client is
 * enough: recomputed when the range changes).
 */
struct dist_zipf {
	double n; /* ranks, up to 2^64; 0: nothing kept yet (zero-fill it once) */
	double exp;
	double h_x1, h_n; /* the hat's integral at both ends */
	double s;         /* a point this close below its rank needs no test */
};

/*
 * The options --rand-type --rand-spec-iter --rand-spec-pct --rand-spec-res --rand-pareto-h
 * --rand-zipfian-exp --rand-exp-pct (the per cent of the range that holds 90 % of exponential
 * draws, default 10); --rand-seed is in run.
 */
extern const struct opt_desc dist_options[];
void dist_params_from(struct dist_params *p, const struct opt_set *set);
/* "uniform" etc., or -EINVAL. */
int dist_type_parse(const char *name, enum dist_type *type);
const char *dist_type_name(enum dist_type type);

int64_t dist_uniform(struct rng *r, int64_t a, int64_t b);
int64_t dist_gaussian(struct rng *r, const struct dist_params *p, int64_t a, int64_t b);
int64_t dist_special(struct rng *r, const struct dist_params *p, int64_t a, int64_t b);
int64_t dist_pareto(struct rng *r, const struct dist_params *p, int64_t a, int64_t b);
int64_t dist_zipfian(struct rng *r, const struct dist_params *p, struct dist_zipf *z, int64_t a,
                     int64_t b);
int64_t dist_exponential(struct rng *r, const struct dist_params *p, int64_t a, int64_t b);
/* By type. */
int64_t dist_draw(struct rng *r, const struct dist_params *p, enum dist_type type,
                  struct dist_zipf *z, int64_t a, int64_t b);

#endif
