/* SPDX-License-Identifier: MIT */
#include "scenario/plan.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/keys.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- values ---- */

/* In the order of enum plan_metric. */
static const char *const metrics[] = {"iops", "throughput", "latency"};

static int parse_metric(void *field, const struct tree *value, const char *where, struct err *err)
{
	int found = keys_choice(value, metrics, COUNT(metrics), where, err);

	if (found < 0)
		return found;
	*(enum plan_metric *)field = (enum plan_metric)found;
	return 0;
}

/* { 100, 65, 0 }: per cent of reads. */
static int parse_mixes(void *field, const struct tree *value, const char *where, struct err *err)
{
	struct plan_rounds *r = field;
	int n = keys_list(value, 1, PLAN_MIXES_MAX, where, err);

	for (int i = 0; i < n; i++) {
		const struct tree *item = &value->items[i];

		if (item->kind != TREE_NUMBER || !(item->number >= 0 && item->number <= 100))
			return err_usage(err, "%s[%d]: give the reads in per cent, from 0 to 100",
			                 where, i + 1);
		r->read_shares[i] = item->number / 100;
	}
	if (n < 0)
		return n;
	r->nmixes = (unsigned)n;
	return 0;
}

static int parse_sizes(void *field, const struct tree *value, const char *where, struct err *err)
{
	struct plan_rounds *r = field;
	int n = keys_list(value, 1, PLAN_SIZES_MAX, where, err);

	for (int i = 0; i < n; i++) {
		uint64_t *bytes = &r->size_bytes[i];

		if (keys_size(&value->items[i], bytes) != 0 || *bytes == 0 || *bytes % 512 != 0 ||
		    *bytes > 1u << 30)
			return err_usage(err,
			                 "%s[%d]: is no size of 512 bytes to 1 GiB in multiples of "
			                 "512; write \"4k\"",
			                 where, i + 1);
	}
	if (n < 0)
		return n;
	r->nsizes = (unsigned)n;
	return 0;
}

/* ---- stages ---- */

static const struct key kind_keys[] = {
    {"stage", .type = KEY_OTHER, .required = true},
};

static const struct key precondition_keys[] = {
    {"stage", .type = KEY_OTHER},
    {"amount", KEY_TEXT, .offset = offsetof(struct plan_stage, amount),
     .room = sizeof(((struct plan_stage *)0)->amount), .required = true},
};

/* What the cell that is tracked was called, until it is found among the cells. */
struct rounds_draft {
	struct plan_stage stage;
	double track_mix; /* share of reads */
	uint64_t track_bytes;
};

#define STAGE(field)  offsetof(struct rounds_draft, stage.field)
#define ROUNDS(field) offsetof(struct rounds_draft, stage.rounds.field)

static const struct key rounds_keys[] = {
    {"stage", .type = KEY_OTHER},
    {"name", KEY_TEXT, .offset = STAGE(name), .room = sizeof(((struct plan_stage *)0)->name),
     .required = true},
    {"title", KEY_TEXT, .offset = STAGE(title), .room = sizeof(((struct plan_stage *)0)->title),
     .required = true},
    {"metric", KEY_PARSED, .offset = ROUNDS(metric), .parse = parse_metric, .required = true},
    {"sequential", KEY_BOOL, .offset = ROUNDS(sequential)},
    {"oio", KEY_COUNT, .offset = ROUNDS(oio), .lo = 1, .hi = 65536, .required = true},
    {"mixes", KEY_PARSED, .offset = STAGE(rounds), .parse = parse_mixes, .required = true},
    {"sizes", KEY_PARSED, .offset = STAGE(rounds), .parse = parse_sizes, .required = true},
    {"track_mix", KEY_PERCENT, .offset = offsetof(struct rounds_draft, track_mix)},
    {"track_size", KEY_SIZE, .offset = offsetof(struct rounds_draft, track_bytes), .lo = 512,
     .hi = 1 << 30},
    {"cell_time", KEY_TIME, .offset = ROUNDS(cell_ns), .lo = 0.001, .hi = 86400},
    {"window", KEY_COUNT, .offset = ROUNDS(window), .lo = 2, .hi = 1000},
    {"max_rounds", KEY_COUNT, .offset = ROUNDS(max_rounds), .lo = 2, .hi = 1000},
    {"range", KEY_PERCENT, .offset = ROUNDS(range)},
    {"excursion", KEY_PERCENT, .offset = ROUNDS(excursion)},
    {"limit_capacities", KEY_NUMBER, .offset = ROUNDS(limit_capacities), .lo = 0, .hi = 1000},
    {"limit_time", KEY_TIME, .offset = ROUNDS(limit_ns), .lo = 0.001, .hi = 1e8},
};

/* The one cell there is, or the one that was named. */
static int find_tracked(struct rounds_draft *d, const char *where, struct err *err)
{
	struct plan_rounds *r = &d->stage.rounds;
	bool found = d->track_mix < 0 && r->nmixes == 1;

	for (unsigned i = 0; i < r->nmixes && !found; i++) {
		found = fabs(r->read_shares[i] - d->track_mix) < 1e-9;
		r->track_mix = found ? i : 0;
	}
	if (!found)
		return err_usage(err, "%s.track_mix: is none of the mixes; name the one to track",
		                 where);
	found = d->track_bytes == 0 && r->nsizes == 1;
	for (unsigned i = 0; i < r->nsizes && !found; i++) {
		found = r->size_bytes[i] == d->track_bytes;
		r->track_size = found ? i : 0;
	}
	if (!found)
		return err_usage(err, "%s.track_size: is none of the sizes; name the one to track",
		                 where);
	return 0;
}

static int read_rounds(struct plan_stage *stage, const struct tree *t, const char *where,
                       struct err *err)
{
	struct rounds_draft d = {.stage = *stage, .track_mix = -1};
	struct plan_rounds *r = &d.stage.rounds;
	int rc;

	/* Of the SNIA's rules where the file says nothing. */
	r->cell_ns = 60000000000;
	r->window = 5;
	r->max_rounds = 25;
	r->range = 0.20;
	r->excursion = 0.10;
	rc = keys_read(&d, t, where, rounds_keys, COUNT(rounds_keys), err);
	if (rc == 0)
		rc = find_tracked(&d, where, err);
	if (rc != 0)
		return rc;
	if (r->window > r->max_rounds)
		return err_usage(err, "%s.window: is longer than max_rounds; shorten it", where);
	if (stage->kind == PLAN_SERIES && (r->nmixes != 1 || r->nsizes != 1))
		return err_usage(err, "%s: a series has one mix and one size; drop the others",
		                 where);
	if (stage->kind == PLAN_SERIES && r->limit_capacities <= 0 && r->limit_ns == 0)
		return err_usage(err, "%s: has no end; add limit_capacities or limit_time", where);
	if (stage->kind == PLAN_ROUNDS && (r->limit_capacities > 0 || r->limit_ns != 0))
		return err_usage(err, "%s: limits belong to a series; drop them", where);
	*stage = d.stage;
	return 0;
}

static int read_stage(struct plan *p, const struct tree *t, const char *where, struct err *err)
{
	/* In the order of enum plan_kind. */
	static const char *const kinds[] = {"purge", "precondition", "rounds", "series"};
	struct plan_stage *stage = &p->stages[p->nstages];
	char place[KEYS_WHERE_LEN];
	const struct tree *kind = tree_get(t, "stage");
	int found, rc;

	*stage = (struct plan_stage){0};
	/* Without it nothing else can be told to be right. */
	if (kind == NULL)
		return t->kind != TREE_TABLE
		           ? keys_read(stage, t, where, kind_keys, COUNT(kind_keys), err)
		           : err_usage(err, "%s: has no 'stage'; add it", where);
	keys_where(place, "%s.stage", where);
	found = keys_choice(kind, kinds, COUNT(kinds), place, err);
	if (found < 0)
		return found;
	stage->kind = (enum plan_kind)found;
	snprintf(stage->name, sizeof(stage->name), "%s", kinds[found]);
	switch (stage->kind) {
	case PLAN_PURGE:
		rc = keys_read(stage, t, where, kind_keys, COUNT(kind_keys), err);
		break;
	case PLAN_PRECONDITION:
		rc = keys_read(stage, t, where, precondition_keys, COUNT(precondition_keys), err);
		break;
	default:
		rc = read_rounds(stage, t, where, err);
	}
	for (unsigned i = 0; rc == 0 && stage->kind >= PLAN_ROUNDS && i < p->nstages; i++) {
		if (strcmp(p->stages[i].name, stage->name) == 0)
			rc = err_usage(err, "%s.name: there are two '%s'; rename one", where,
			               stage->name);
	}
	p->nstages += rc == 0;
	return rc;
}

/* ---- the plan ---- */

static const struct key plan_keys[] = {
    {"title", KEY_TEXT, .offset = offsetof(struct plan, title),
     .room = sizeof(((struct plan *)0)->title), .required = true},
    {"stages", .type = KEY_OTHER, .required = true},
};

int plan_from_tree(struct plan *p, const struct tree *tree, const char *file, struct err *err)
{
	const char *base = strrchr(file, '/');
	const struct tree *stages;
	char place[KEYS_WHERE_LEN];
	bool measures = false;
	char *dot;
	int rc, n;

	*p = (struct plan){0};
	snprintf(p->name, sizeof(p->name), "%.63s", base != NULL ? base + 1 : file);
	dot = strstr(p->name, ".lua");
	if (dot != NULL)
		*dot = '\0';
	rc = keys_read(p, tree, file, plan_keys, COUNT(plan_keys), err);
	if (rc != 0)
		return rc;
	stages = tree_get(tree, "stages");
	keys_where(place, "%s: stages", file);
	n = keys_list(stages, 1, PLAN_STAGES_MAX, place, err);
	if (n < 0)
		return n;
	for (int i = 0; rc == 0 && i < n; i++) {
		keys_where(place, "%s: stages[%d]", file, i + 1);
		rc = read_stage(p, &stages->items[i], place, err);
	}
	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < p->nstages; i++)
		measures = measures || p->stages[i].kind >= PLAN_ROUNDS;
	if (!measures)
		return err_usage(err, "%s: no stage measures anything; add one of \"rounds\"",
		                 file);
	return 0;
}
