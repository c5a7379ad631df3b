/* SPDX-License-Identifier: MIT */
/* Like runs: metrics of documents, conclusions, unlike settings; and what is refused at loading. */
#include "cmp_fixture.h"

#ifdef HAVE_JANSSON

#include "base/strbuf.h"

#define HEAD                                                                                       \
	"{'schema':'ioltp-result-1','tool':{'name':'ioltp','version':'1','kind':'sql',"            \
	"'workload':'w','command_line':'x'},'host':{'cpus':2},'device':{'drive':'vda'},"

static struct cmp_doc docs[4];

static void latency(struct strbuf *sb, double mean_ms, double count)
{
	strbuf_addf(sb,
	            "'latency_ns':{'count':%.0f,'min':1,'mean':%.0f,'max':9,'stddev':1,"
	            "'percentiles':{'50':%.0f,'99':%.0f,'99.9':%.0f}}",
	            count, mean_ms * 1e6, mean_ms * 0.9e6, mean_ms * 3e6, mean_ms * 5e6);
}

/*
 * A run of `n` intervals of a second around `tps`, with jumps of `noise` up and down, and a tail of
 * 0.1 s in which next to nothing was done.
 */
static void make_run(struct cmp_doc *d, const char *name, double tps, double mean_ms, double noise,
                     unsigned n, const char *options)
{
	/* Not alike in neighbours, and of mean 0 over eight. */
	static const double jumps[] = {1, -1, 0.5, 0, -0.5, 1, -1, 0};
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, HEAD "'options':{'threads':4%s},'intervals':[", options);
	for (unsigned i = 0; i < n; i++) {
		double factor = 1 + noise * jumps[i % 8];

		strbuf_addf(&sb, "{'elapsed_s':1,'tps':%.6f,'qps':%.6f,", tps * factor,
		            10 * tps * factor);
		latency(&sb, mean_ms / factor, tps * factor);
		strbuf_adds(&sb, "},");
	}
	strbuf_adds(&sb, "{'elapsed_s':0.1,'tps':1,'qps':10,");
	latency(&sb, 500, 10);
	strbuf_addf(&sb, "}],'totals':{'tps':%.6f,'qps':%.6f,'elapsed_s':%u},", tps, 10 * tps, n);
	latency(&sb, mean_ms, tps * n);
	strbuf_adds(&sb, ",'generator':{'seed':'18446744073709551557','seed_given':false},"
	                 "'warnings':['durability: none']}");
	assert_false(sb.failed);
	load_text(d, name, sb.text);
	strbuf_fini(&sb);
}

static const struct cmp_metric *find(const struct cmp_pair *p, const char *key)
{
	for (unsigned i = 0; i < p->nmetrics; i++) {
		if (strcmp(p->metrics[i].key, key) == 0)
			return &p->metrics[i];
	}
	return NULL;
}

static const struct cmp_metric *metric(const struct cmp_like *l, const char *key)
{
	const struct cmp_metric *m = find(&l->pairs[0], key);

	assert_non_null(m);
	return m;
}

/* docs[0..base) against docs[base..base+new). */
static void compare(struct cmp_like *l, size_t base, size_t new, double fail_above)
{
	static struct cmp_side sides[2];
	static char base_label[] = "base", new_label[] = "new";
	struct err err = ERR_INIT;

	sides[0] = (struct cmp_side){docs, base, base_label};
	sides[1] = (struct cmp_side){docs + base, new, new_label};
	if (cmp_like(l, sides, 2, 0.01, fail_above, &err) != 0)
		fail_msg("%s", err.text);
}

static void done(struct cmp_like *l, unsigned n)
{
	cmp_like_fini(l);
	for (unsigned i = 0; i < n; i++)
		cmp_doc_fini(&docs[i]);
}

/* ---- over intervals ---- */

static void difference(void **state)
{
	const struct cmp_metric *m;
	struct cmp_like l;

	(void)state;
	make_run(&docs[0], "a.json", 1000, 4, 0.02, 16, "");
	make_run(&docs[1], "b.json", 800, 5, 0.02, 16, "");
	compare(&l, 1, 1, NAN);
	assert_false(l.pairs[0].repeats);
	m = metric(&l, "tps");
	/* The tail is in no estimate. */
	assert_true(m->base.value == 1000 && m->new.value == 800 && m->base.n == 16);
	assert_int_equal(m->conclusion, CMP_WORSE);
	assert_near(m->difference.relative, -0.2, 1e-9);
	/* s = 2 % * sqrt(10 / 15) of 16 intervals each. */
	assert_near(m->base.error, 20 * sqrt(9.0 / 15 / 16), 0.5);
	assert_true(m->difference.relative_low > -0.23 && m->difference.relative_high < -0.17);
	m = metric(&l, "latency_mean_ns");
	assert_int_equal(m->conclusion, CMP_WORSE);
	assert_near(m->difference.relative, 0.25, 1e-9);
	assert_int_equal(metric(&l, "qps")->conclusion, CMP_WORSE);
	assert_int_equal(metric(&l, "latency_p50_ns")->conclusion, CMP_WORSE);
	/* 1000 events of an interval have 10 beyond p99, and one beyond p99.9. */
	assert_int_equal(metric(&l, "latency_p99_ns")->conclusion, CMP_WORSE);
	m = metric(&l, "latency_p99.9_ns");
	assert_int_equal(m->conclusion, CMP_CANNOT_TELL);
	assert_non_null(strstr(m->note, "5000 events"));
	assert_false(l.regressed);
	assert_true(has_text(&l.pairs[0].warnings, "durability: none"));
	assert_int_equal(l.pairs[0].unlike.n, 0);
	done(&l, 2);
}

static void no_difference(void **state)
{
	struct cmp_like l;

	(void)state;
	make_run(&docs[0], "a.json", 1000, 4, 0.05, 16, "");
	make_run(&docs[1], "b.json", 990, 4.04, 0.05, 16, "");
	compare(&l, 1, 1, NAN);
	assert_int_equal(metric(&l, "tps")->conclusion, CMP_NO_DIFFERENCE);
	assert_true(metric(&l, "tps")->difference.absolute_high > 0);
	done(&l, 2);
	/* Certain, and below the resolution of 1 %. */
	make_run(&docs[0], "a.json", 1000, 4, 0.0001, 16, "");
	make_run(&docs[1], "b.json", 991, 4.03, 0.0001, 16, "");
	compare(&l, 1, 1, 0);
	assert_true(metric(&l, "tps")->difference.absolute_high < 0);
	assert_int_equal(metric(&l, "tps")->conclusion, CMP_NO_DIFFERENCE);
	assert_false(l.regressed);
	done(&l, 2);
}

static void cannot_tell(void **state)
{
	struct cmp_like l;

	(void)state;
	make_run(&docs[0], "a.json", 1000, 4, 0.02, 2, "");
	make_run(&docs[1], "b.json", 500, 8, 0.02, 16, "");
	compare(&l, 1, 1, 0.05);
	assert_int_equal(metric(&l, "tps")->conclusion, CMP_CANNOT_TELL);
	assert_non_null(strstr(metric(&l, "tps")->note, "--time"));
	assert_near(metric(&l, "tps")->difference.relative, -0.5, 1e-9);
	/* What is not certain fails nothing. */
	assert_false(l.regressed);
	done(&l, 2);
}

/* ---- over repeats ---- */

static void repeats(void **state)
{
	const struct cmp_metric *m;
	struct cmp_like l;

	(void)state;
	make_run(&docs[0], "a.json", 1000, 4, 0, 4, "");
	make_run(&docs[1], "b.json", 1010, 4, 0, 4, "");
	make_run(&docs[2], "c.json", 1100, 4, 0, 4, "");
	make_run(&docs[3], "d.json", 1110, 4, 0, 4, "");
	compare(&l, 2, 2, NAN);
	assert_true(l.pairs[0].repeats);
	m = metric(&l, "tps");
	assert_true(m->base.value == 1005 && m->new.value == 1105);
	/* s^2 = 50 on both sides: error 5, together sqrt(50), 2 degrees of freedom. */
	assert_near(m->difference.absolute_high, 100 + 4.30265272991 * sqrt(50), 1e-6);
	assert_int_equal(m->conclusion, CMP_BETTER);
	done(&l, 4);
}

/* ---- --fail-above ---- */

static void fail_above(void **state)
{
	struct cmp_like l;

	(void)state;
	make_run(&docs[0], "a.json", 1000, 4, 0.01, 16, "");
	make_run(&docs[1], "b.json", 940, 4, 0.01, 16, "");
	compare(&l, 1, 1, 0.05);
	assert_true(l.regressed);
	cmp_like_fini(&l);
	compare(&l, 1, 1, 0.07);
	assert_false(l.regressed);
	done(&l, 2);
	/* Better is never a regression. */
	make_run(&docs[0], "a.json", 1000, 4, 0.01, 16, "");
	make_run(&docs[1], "b.json", 2000, 2, 0.01, 16, "");
	compare(&l, 1, 1, 0.05);
	assert_false(l.regressed);
	assert_int_equal(metric(&l, "tps")->conclusion, CMP_BETTER);
	assert_int_equal(metric(&l, "latency_mean_ns")->conclusion, CMP_BETTER);
	done(&l, 2);
	make_run(&docs[0], "a.json", 1000, 4, 0.01, 16, "");
	make_run(&docs[1], "b.json", 1000, 5, 0.01, 16, "");
	compare(&l, 1, 1, 0.05);
	assert_true(l.regressed);
	done(&l, 2);
}

/* ---- settings ---- */

static void unlike(void **state)
{
	const struct cmp_texts *t;
	struct cmp_like l;

	(void)state;
	make_run(&docs[0], "a.json", 1000, 4, 0.01, 8,
	         ",'sqlite-synchronous':'full','output':'a','rand-seed':0,'list':['a','b']");
	make_run(&docs[1], "b.json", 1000, 4, 0.01, 8,
	         ",'sqlite-synchronous':'off','output':'b','rand-seed':7,'list':['a'],'new':5,"
	         "'newer':null");
	compare(&l, 1, 1, NAN);
	t = &l.pairs[0].unlike;
	assert_true(has_text(t, "option: sqlite-synchronous: full against off"));
	assert_true(has_text(t, "option: list: a,b against a"));
	assert_true(has_text(t, "option: new: nothing against 5"));
	/* Paths, seeds that nobody gave, and options that are off on both sides are of no interest.
	 */
	assert_int_equal(t->n, 3);
	done(&l, 2);
}

/* ---- documents ---- */

static void refused(void **state)
{
	(void)state;
	refuse_text("x.json", "hello", "no whole JSON document");
	refuse_text("x.json", "{'schema':'ioltp-result-1','tool':{", "no whole JSON document");
	refuse_text("x.json", "{'schema':'ioltp-result-2'}", "ioltp-result-2");
	refuse_text("x.json", "{'a':1}", "no schema");
	refuse_text("x.json", "[1]", "no schema");
	refuse_text("x.json", "{'schema':'ioltp-result-1'}", "an SQL or of a raw run");
	refuse_text("x.json", HEAD "'intervals':[]}", "no totals");
	refuse_text("x.json", "{'schema':'ioltp-twin-1','replays':[]}", "no replay");
	refuse_text("x.json", "{'schema':'ioltp-twin-1','replays':[{'name':'pace'}]}", "replay 1");
	refuse_text("x.part", "hello", "a run writes there");
}

/* Whole lines count, what was cut off in the middle does not. */
static void part(void **state)
{
	struct cmp_doc d;

	(void)state;
	load_text(&d, "a.json.part",
	          HEAD "'options':{}}\n{'elapsed_s':1,'tps':5}\n{'elapsed_s':1,'tps':7}\n{'elap");
	assert_true(d.part);
	assert_int_equal(tree_at(&d.tree, "intervals")->narray, 2);
	assert_true(tree_number(&tree_at(&d.tree, "intervals")->items[1], "tps") == 7);
	cmp_doc_fini(&d);
}

/* A run that was killed, against itself whole: its intervals are enough for means. */
static void part_against_whole(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct cmp_like l;

	(void)state;
	make_run(&docs[0], "a.json", 1000, 4, 0.02, 16, "");
	strbuf_adds(&sb, HEAD "'options':{'threads':4}}\n");
	for (unsigned i = 0; i < 16; i++) {
		strbuf_addf(&sb, "{'elapsed_s':1,'tps':%d,'qps':1,", i % 2 == 0 ? 690 : 710);
		latency(&sb, 5, 700);
		strbuf_adds(&sb, "}\n");
	}
	load_text(&docs[1], "b.json.part", sb.text);
	strbuf_fini(&sb);
	compare(&l, 1, 1, NAN);
	assert_near(metric(&l, "tps")->difference.relative, -0.3, 1e-9);
	assert_int_equal(metric(&l, "tps")->conclusion, CMP_WORSE);
	assert_near(metric(&l, "latency_mean_ns")->difference.relative, 0.25, 1e-9);
	assert_int_equal(metric(&l, "latency_p50_ns")->conclusion, CMP_CANNOT_TELL);
	assert_true(has_text(&l.pairs[0].warnings, "did not end"));
	done(&l, 2);
}

static void kinds(void **state)
{
	struct cmp_side sides[2];
	struct err err = ERR_INIT;
	static char label[] = "x";
	struct cmp_like l;

	(void)state;
	load_text(&docs[0], "a.json",
	          "{'schema':'ioltp-twin-1','replays':[{'name':'pace','unit':'io','result':"
	          "{'totals':{}}}]}");
	load_text(&docs[1], "b.json", HEAD "'intervals':[],'totals':{}}");
	sides[0] = (struct cmp_side){&docs[1], 1, label};
	sides[1] = (struct cmp_side){&docs[0], 1, label};
	assert_true(cmp_like(&l, sides, 2, 0.01, NAN, &err) < 0);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_non_null(strstr(err.text, "is a twin"));
	done(&l, 2);
}

#endif

int main(void)
{
#ifdef HAVE_JANSSON
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(difference),
	    cmocka_unit_test(no_difference),
	    cmocka_unit_test(cannot_tell),
	    cmocka_unit_test(repeats),
	    cmocka_unit_test(fail_above),
	    cmocka_unit_test(unlike),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(part),
	    cmocka_unit_test(part_against_whole),
	    cmocka_unit_test(kinds),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
#else
	return 77;
#endif
}
