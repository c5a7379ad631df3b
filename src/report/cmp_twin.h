/* SPDX-License-Identifier: MIT */
/* cmp_twin: between the table (cmp_twin.c) and the facts behind the verdict (cmp_facts.c). */
#ifndef IOLTP_REPORT_CMP_TWIN_H
#define IOLTP_REPORT_CMP_TWIN_H

#include "report/cmp_doc.h"
#include "report/cmp_report.h"

enum cmp_replay { CMP_PACE, CMP_CAPABILITY, CMP_SATURATION, CMP_REPLAYS };

/* Both documents, taken apart. Trees are the documents'; NULL: there is none. */
struct cmp_view {
	const struct tree *app, *capture;
	const struct tree *txn[CMP_REPLAYS]; /* raw results in I/O transactions */
	const struct tree *io[CMP_REPLAYS];  /* in I/Os */
	double oio[CMP_REPLAYS];
	double events, elapsed_s, outstanding; /* of the application */
};

void cmp_view(struct cmp_view *v, const struct cmp_doc *app, const struct cmp_doc *synthetic);
/* The rest takes a view apart further; NAN where something is not known. */
/* The capture saw the database's calls, not the kernel's I/Os. */
bool cmp_by_vfs(const struct cmp_view *v);
/* Reads and writes of the drive per second. */
double cmp_app_iops(const struct cmp_view *v);
double cmp_reach_txn(const struct cmp_view *v, unsigned replay);
double cmp_reach_io(const struct cmp_view *v, unsigned replay);
/* CPU seconds of the generator's process in a result. */
double cmp_generator_cpu_s(const struct tree *result);
/* The database runs inside the generator. */
bool cmp_is_embedded(const struct cmp_view *v);
void cmp_facts(struct cmp_facts *f, const struct cmp_view *v);
/* What to know about both documents. */
void cmp_twin_warnings(struct cmp_twin *t, const struct cmp_view *v,
                       const struct cmp_doc *synthetic);

#endif
