/* SPDX-License-Identifier: MIT */
/* cmd_compare: `ioltp compare APP SYNTHETIC` and `ioltp compare BASE NEW...`. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/paths.h"
#include "report/cmp_doc.h"
#include "report/cmp_report.h"

static const struct opt_desc compare_options[] = {
    CLI_OPTION_HELP,
    {.name = "format",
     .type = OPT_ENUM,
     .def = "text",
     .choices = "text|csv|json|markdown",
     .help = "form of the comparison on standard output"},
    {.name = "output", .type = OPT_STRING, .help = "write the comparison as JSON to this file too"},
    {.name = "repeats",
     .type = OPT_INT,
     .def = "1",
     .range = "1..1000",
     .unit = "files",
     .help = "so many files after each other are repeats of one configuration; commas between "
             "files say the same of these"},
    {.name = "resolution",
     .type = OPT_STRING,
     .def = "1%",
     .help = "like runs: a smaller difference is none, as 1% or 0.01"},
    {.name = "fail-above",
     .type = OPT_STRING,
     .help = "like runs: exit with status 1 when the throughput, the mean latency or p99 is "
             "worse by more than this, as 5% or 0.05, and not by chance"},
    CLI_OPTION_VERBOSITY,
    OPT_END,
};

struct session {
	struct opt_set *set;
	char **names; /* not owned: of argv */
	size_t nnames;
	struct cmp_doc *docs;
	size_t ndocs;
	struct cmp_side *sides; /* of consecutive docs; sides[i].docs points into docs */
	size_t nsides;
	char **labels; /* of sides; owned */
};

/* ---- what was named ---- */

/* "5%" or "0.05" of an option that may be unset: NAN then. */
static int read_share(const struct session *s, const char *option, double *share, struct err *err)
{
	const char *text = opt_str(s->set, option);
	char number[32];
	size_t len;

	*share = NAN;
	if (text == NULL)
		return 0;
	len = strlen(text);
	if (len > 0 && len < sizeof(number)) {
		bool per_cent = text[len - 1] == '%';

		memcpy(number, text, len);
		number[per_cent ? len - 1 : len] = '\0';
		if (units_parse_double(number, share) == 0 && *share >= 0) {
			*share /= per_cent ? 100 : 1;
			return 0;
		}
	}
	return err_usage(err, "--%s=%s: is no share; write 5%% or 0.05", option, text);
}

struct loader {
	struct session *s;
	struct err *err;
};

static int load(void *ctx, const char *path)
{
	struct loader *l = ctx;
	struct session *s = l->s;
	struct cmp_doc *docs = realloc(s->docs, (s->ndocs + 1) * sizeof(*docs));

	if (docs == NULL) {
		err_run(l->err, "compare: out of memory");
		return -ENOMEM;
	}
	s->docs = docs;
	return cmp_doc_load(&docs[s->ndocs++], path, l->err);
}

static char *join(const char *a, const char *b)
{
	char *text = NULL;

	return asprintf(&text, "%s%s%s", a, a[0] != '\0' ? "," : "", b) < 0 ? NULL : text;
}

/* Loads what one word names: a file, or several with commas between. */
static int add_name(struct session *s, const char *name, bool fresh, struct err *err)
{
	struct loader loader = {s, err};
	size_t before = s->ndocs, at;
	char *label;
	int rc = access(name, F_OK) == 0 ? load(&loader, name) : opt_split(name, load, &loader);

	if (rc != 0)
		return rc;
	if (s->ndocs == before)
		return err_usage(err, "an empty word names no result; name a file");
	s->nsides += fresh;
	at = s->nsides - 1;
	label = join(fresh ? "" : s->labels[at], name);
	free(s->labels[at]);
	s->labels[at] = label;
	if (label == NULL) {
		err_run(err, "compare: out of memory");
		return -ENOMEM;
	}
	s->sides[at].n += s->ndocs - before;
	s->sides[at].label = label;
	return 0;
}

static int read_documents(struct session *s, struct err *err)
{
	size_t repeats = (size_t)opt_int(s->set, "repeats"), first = 0;

	if (s->nnames < 2)
		return err_usage(err, "ioltp compare: wants two results at least; see 'ioltp "
		                      "compare --help'");
	if (s->nnames % repeats != 0 || s->nnames / repeats < 2)
		return err_usage(err,
		                 "ioltp compare: %zu files are not two or more groups of %zu "
		                 "repeats; name all files of each group",
		                 s->nnames, repeats);
	s->sides = calloc(s->nnames, sizeof(*s->sides));
	s->labels = calloc(s->nnames, sizeof(*s->labels));
	if (s->sides == NULL || s->labels == NULL) {
		err_run(err, "compare: out of memory");
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->nnames; i++) {
		int rc = add_name(s, s->names[i], i % repeats == 0, err);

		if (rc != 0)
			return rc;
	}
	for (size_t i = 0; i < s->nsides; i++) {
		s->sides[i].docs = &s->docs[first];
		first += s->sides[i].n;
	}
	return 0;
}

/* ---- what is written ---- */

/* A comparison of either sort, as its writers take it. */
struct comparison {
	bool is_twin;
	struct cmp_twin twin;
	struct cmp_like like;
};

static int write_form(const struct comparison *c, const char *format, FILE *out)
{
	static const struct {
		const char *format;
		int (*twin)(const struct cmp_twin *t, FILE *out);
		int (*like)(const struct cmp_like *l, FILE *out);
	} writers[] = {
	    {"text", cmp_twin_text, cmp_like_text},
	    {"csv", cmp_twin_csv, cmp_like_csv},
	    {"json", cmp_twin_json, cmp_like_json},
	    {"markdown", cmp_twin_markdown, cmp_like_markdown},
	};

	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		if (strcmp(writers[i].format, format) == 0)
			return c->is_twin ? writers[i].twin(&c->twin, out)
			                  : writers[i].like(&c->like, out);
	}
	return -EINVAL;
}

static int write_all(const struct session *s, const struct comparison *c, struct err *err)
{
	const char *path = opt_str(s->set, "output");
	int rc = write_form(c, opt_str(s->set, "format"), stdout);
	FILE *out;

	if (rc != 0)
		return err_run(err, "standard output: %s; write to another place", strerror(-rc));
	if (path == NULL)
		return 0;
	out = fopen(path, "we");
	if (out == NULL)
		return err_usage(err, "%s: cannot write: %s; choose another --output", path,
		                 strerror(errno));
	rc = write_form(c, "json", out);
	if (fclose(out) != 0 && rc == 0)
		rc = -errno;
	if (rc != 0)
		return err_run(err, "%s: %s; make room or choose another --output", path,
		               strerror(-rc));
	return 0;
}

/* ---- which comparison ---- */

/* An SQL result and something of another kind: APP comes first, and has one SYNTHETIC. */
static int check_twin(const struct session *s, struct err *err)
{
	const struct cmp_doc *first = &s->docs[0];

	if (first->kind != CMP_SQL)
		return err_usage(err,
		                 "%s: is a %s, and the application's SQL result comes first: "
		                 "'ioltp compare APP SYNTHETIC'",
		                 first->path, cmp_kind_name(first->kind));
	if (s->ndocs != 2)
		return err_usage(err,
		                 "%s: is a %s; an application stands beside one twin or one raw "
		                 "result: 'ioltp compare APP SYNTHETIC'",
		                 s->docs[s->ndocs - 1].path,
		                 cmp_kind_name(s->docs[s->ndocs - 1].kind));
	if (opt_given(s->set, "fail-above"))
		return err_usage(err,
		                 "--fail-above: is for like runs, and %s is a %s; leave it out",
		                 s->docs[1].path, cmp_kind_name(s->docs[1].kind));
	return 0;
}

static bool has_kind(const struct session *s, enum cmp_kind kind)
{
	for (size_t i = 0; i < s->ndocs; i++) {
		if (s->docs[i].kind == kind)
			return true;
	}
	return false;
}

static int check_output(const struct session *s, struct err *err)
{
	const char *path = opt_str(s->set, "output");

	for (size_t i = 0; i < s->ndocs; i++) {
		if (paths_same(path, s->docs[i].path))
			return err_usage(err,
			                 "--output=%s: refused: it is %s, which is compared; name "
			                 "another",
			                 path, s->docs[i].path);
	}
	return path != NULL ? paths_check_output("output", path, err) : 0;
}

/* Status of the program. */
static int compare(struct session *s, struct err *err)
{
	bool sql = has_kind(s, CMP_SQL), raw = has_kind(s, CMP_RAW), twin = has_kind(s, CMP_TWIN);
	struct comparison c = {.is_twin = sql && (raw || twin)};
	double resolution, fail_above;
	int rc = read_share(s, "resolution", &resolution, err);

	if (rc == 0)
		rc = read_share(s, "fail-above", &fail_above, err);
	if (rc == 0)
		rc = check_output(s, err);
	if (rc == 0 && c.is_twin)
		rc = check_twin(s, err);
	if (rc != 0)
		return err->status;
	if (c.is_twin)
		rc = cmp_twin(&c.twin, &s->docs[0], &s->docs[1], err);
	else
		rc = cmp_like(&c.like, s->sides, s->nsides, resolution, fail_above, err);
	if (rc == 0)
		rc = write_all(s, &c, err);
	rc = rc != 0 ? err->status : c.like.regressed ? EXIT_RUN : EXIT_OK;
	if (c.is_twin)
		cmp_twin_fini(&c.twin);
	else
		cmp_like_fini(&c.like);
	return rc;
}

/* ---- the command line ---- */

static void print_help(const struct opt_set *set)
{
	printf(
	    "Usage:\n"
	    "  ioltp compare APP SYNTHETIC   an SQL result (run with --capture) beside its twin\n"
	    "                                ('ioltp twin') or a raw result: what was the limit\n"
	    "  ioltp compare BASE NEW...     like runs: differences with their 95 %% intervals\n"
	    "  ioltp compare B1,B2,B3 N1,N2,N3\n"
	    "                                the same over repeats\n\n"
	    "Exit status: 0 also when there is a difference; 1 with --fail-above and a "
	    "regression;\n2 for files that do not go together.\n\n");
	opt_print_help(set, NULL, stdout);
}

/* The words behind "compare". */
static int read_args(struct session *s, int argc, char **argv, struct err *err)
{
	bool begun = false;

	for (int i = 1; i < argc; i++) {
		char *arg = argv[i];
		int rc;

		if (arg[0] != '-') {
			if (begun)
				s->names[s->nnames++] = arg;
			begun = true;
			continue;
		}
		rc = opt_parse_arg(s->set, arg, err);
		if (rc == -ENOENT)
			rc = opt_unknown(s->set, arg, err);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int perform(struct session *s, int argc, char **argv, struct err *err)
{
	if (read_args(s, argc, argv, err) != 0)
		return err->status;
	if (opt_bool(s->set, "help")) {
		print_help(s->set);
		return EXIT_OK;
	}
	if (read_documents(s, err) != 0)
		return err->status;
	return compare(s, err);
}

int cmd_compare(const struct cli *cli, int argc, char **argv)
{
	struct session s = {.set = opt_set_new(), .names = calloc((size_t)argc, sizeof(char *))};
	struct log log = {LOG_NOTICE};
	struct err err = ERR_INIT;
	int status = EXIT_RUN;

	(void)cli;
	if (s.set == NULL || s.names == NULL) {
		log_error(NULL, "out of memory");
		goto done;
	}
	opt_set_add(s.set, "Options of compare", compare_options);
	status = perform(&s, argc, argv, &err);
	log.level = (enum log_level)opt_int(s.set, "verbosity");
	if (err_is_set(&err))
		log_err(&log, &err);
done:
	for (size_t i = 0; i < s.ndocs; i++)
		cmp_doc_fini(&s.docs[i]);
	for (size_t i = 0; i < s.nsides; i++)
		free(s.labels[i]);
	free(s.labels);
	free(s.sides);
	free(s.docs);
	free(s.names);
	opt_set_free(s.set);
	return status;
}
