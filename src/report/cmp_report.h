/* SPDX-License-Identifier: MIT */
/*
 * cmp_report: a comparison as all its writers see it: a table of figures, what the figures come
 * from, and what follows from them. One thread at a time.
 */
#ifndef IOLTP_REPORT_CMP_REPORT_H
#define IOLTP_REPORT_CMP_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "report/cmp_stat.h"
#include "report/cmp_verdict.h"

struct cmp_doc;

#define CMP_SCHEMA      "ioltp-compare-1"
#define CMP_COLUMNS_MAX 4u
#define CMP_NO_CAPTURE  "capture: none; run with --capture"

enum cmp_unit {
	CMP_PER_S,
	CMP_NS,
	CMP_BYTES,
	CMP_BYTES_PER_S,
	CMP_COUNT,
	CMP_SHARE, /* 0 to 1, printed in per cent */
	CMP_FACTOR,
	CMP_CELSIUS
};

struct cmp_row {
	const char *section;
	char key[64], label[72]; /* for programs, the unit behind; for people */
	enum cmp_unit unit;
	double cells[CMP_COLUMNS_MAX]; /* NAN: none */
	char note[200]; /* how it is computed, or why there is none; "": nothing to say */
};

/* A list of texts without doubles. */
struct cmp_texts {
	char **texts; /* owned */
	size_t n;
	bool failed; /* memory ran out */
};

void cmp_texts_add(struct cmp_texts *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cmp_texts_fini(struct cmp_texts *t);

/* A figure of the application's own use of its drive, by kind of I/O. */
struct cmp_mix {
	char op[8];
	double size_bytes, count, bytes;
	double count_share, bytes_share; /* of all I/Os; of all their bytes */
	bool sequential;
};

/* APP against SYNTHETIC. */
struct cmp_twin {
	const char *app, *synthetic; /* paths */
	const char *columns[CMP_COLUMNS_MAX];
	unsigned ncolumns;
	struct cmp_row *rows;
	size_t nrows, room;
	struct cmp_mix *mix;
	size_t nmix;
	struct cmp_facts facts;
	struct cmp_verdict verdict;
	struct cmp_texts warnings;
	bool failed; /* memory ran out */
};

enum cmp_conclusion {
	CMP_NO_DIFFERENCE, /* the interval contains 0, or the difference is below the resolution */
	CMP_BETTER,
	CMP_WORSE,
	CMP_CANNOT_TELL
};

/* A figure of BASE and NEW, and whether they differ. */
struct cmp_metric {
	char key[48], label[48];
	enum cmp_unit unit;
	bool more_is_better;
	bool gated; /* --fail-above looks at it */
	struct cmp_estimate base, new;
	struct cmp_difference difference;
	enum cmp_conclusion conclusion;
	char note[160]; /* why one cannot tell */
};

#define CMP_METRICS_MAX 40u

/* Result documents of one configuration: one run, or repeats. */
struct cmp_side {
	struct cmp_doc *docs; /* not owned */
	size_t n;
	char *label; /* paths joined by commas; not owned */
};

struct cmp_pair {
	const struct cmp_side *base, *new;
	bool repeats; /* errors are over repeats, else over intervals */
	struct cmp_metric metrics[CMP_METRICS_MAX];
	unsigned nmetrics;
	struct cmp_texts unlike, warnings;
};

/* BASE against each NEW. */
struct cmp_like {
	const char *base;  /* label */
	double resolution; /* relative differences below it are none */
	double fail_above; /* NAN: not asked for */
	struct cmp_pair *pairs;
	size_t npairs;
	bool regressed; /* some gated metric is worse by more than fail_above, for certain */
};

/* ---- makers; the results are the caller's, to be freed by cmp_twin_fini, cmp_like_fini ---- */

/* -EINVAL with `err`: kinds that do not go together; -ENOMEM with `err`. */
int cmp_twin(struct cmp_twin *t, const struct cmp_doc *app, const struct cmp_doc *synthetic,
             struct err *err);
void cmp_twin_fini(struct cmp_twin *t);
/* `sides[0]` is BASE, and all must outlive the comparison. Returns as above. */
int cmp_like(struct cmp_like *l, const struct cmp_side *sides, size_t n, double resolution,
             double fail_above, struct err *err);
void cmp_like_fini(struct cmp_like *l);

/* Settings and facts in which two documents differ that should not, or need to be known: one text
 * each. */
void cmp_unlike(struct cmp_texts *t, const struct cmp_doc *base, const struct cmp_doc *new);

/* "no difference", "better", "worse", "cannot tell" */
const char *cmp_conclusion_name(enum cmp_conclusion conclusion);

/* ---- writers: 0 or -errno; none closes `out` ---- */

int cmp_twin_text(const struct cmp_twin *t, FILE *out);
int cmp_twin_csv(const struct cmp_twin *t, FILE *out);
int cmp_twin_markdown(const struct cmp_twin *t, FILE *out);
int cmp_twin_json(const struct cmp_twin *t, FILE *out);
int cmp_like_text(const struct cmp_like *l, FILE *out);
int cmp_like_csv(const struct cmp_like *l, FILE *out);
int cmp_like_markdown(const struct cmp_like *l, FILE *out);
int cmp_like_json(const struct cmp_like *l, FILE *out);

/* A value in words: "1.23 ms", "94.0 %", "-" for NAN. Returns buf. */
char *cmp_format(char *buf, size_t room, enum cmp_unit unit, double value);

#endif
