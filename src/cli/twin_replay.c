/* SPDX-License-Identifier: MIT */
/*
 * The replays: pace, at the application's own rate; capability, as fast as it goes with as many
 * outstanding as the application had; saturation, with ever more outstanding until that helps no
 * more. Each is one `ioltp raw` in this process, and leaves its result document.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/twin.h"
#include "report/rep_json_read.h"

#define PACE_OIO_MIN 64u /* a queue that is long enough not to be the limit itself */
#define PACE_OIO_MAX 1024u
#define OIO_MAX      1024u
#define GAIN_MIN     1.05 /* of throughput, for twice as many outstanding */
#define PERCENTILES  "--percentile=50,90,95,99,99.9"

const char *twin_arg(char *buf, size_t room, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(buf, room, fmt, ap) >= (int)room)
		buf[0] = '\0';
	va_end(ap);
	return buf;
}

int twin_raw(struct twin *t, const char *const *args, unsigned nargs)
{
	char size[48], consent[4200], *argv[TWIN_ARGS_MAX];
	char verbosity[32], engine[64], direct[32], latency[96], *copies[TWIN_ARGS_MAX];
	const char *latency_text = opt_str(t->options, "null-latency");
	const char *given = opt_str(t->options, "destroy-data");
	const char *all[TWIN_ARGS_MAX];
	int argc = 0, status = EXIT_RUN;
	bool good = true;

	all[argc++] = "ioltp";
	all[argc++] = "raw";
	if (t->target != NULL)
		all[argc++] = t->target;
	if (t->is_file || t->target == NULL)
		all[argc++] = twin_arg(size, sizeof(size), "--file-size=%llu",
		                       (unsigned long long)t->target_bytes);
	/* What we made ourselves needs no consent; anything else does. */
	if (t->made)
		given = t->target;
	if (given != NULL)
		all[argc++] = twin_arg(consent, sizeof(consent), "--destroy-data=%s", given);
	all[argc++] =
	    twin_arg(engine, sizeof(engine), "--engine=%s", opt_str(t->options, "engine"));
	all[argc++] = twin_arg(direct, sizeof(direct), "--direct=%s",
	                       opt_bool(t->options, "direct") ? "on" : "off");
	if (latency_text != NULL)
		all[argc++] = twin_arg(latency, sizeof(latency), "--null-latency=%s", latency_text);
	all[argc++] = twin_arg(verbosity, sizeof(verbosity), "--verbosity=%d", (int)t->log.level);
	all[argc++] = "--format=none";
	for (unsigned i = 0; i < nargs && argc < (int)TWIN_ARGS_MAX; i++)
		all[argc++] = args[i];
	/* Arguments belong to the program and can be written. */
	for (int i = 0; i < argc; i++) {
		argv[i] = copies[i] = strdup(all[i]);
		good = good && copies[i] != NULL;
	}
	if (good)
		status = cmd_raw(t->cli, argc, argv);
	for (int i = 0; i < argc; i++)
		free(copies[i]);
	return status;
}

/* ---- one replay ---- */

static double throughput(const struct tree *doc)
{
	double tps = tree_number(doc, "totals/tps");

	return tps > 0 ? tps : 0;
}

/* Runs it and takes its document into place `at`. Exit status. */
static int replay(struct twin *t, unsigned at, const struct twin_replay *what, struct err *err)
{
	char profile[4200], oio[32], rate[64], time[48], warmup[48], output[4200], kind[32];
	const char *args[12];
	struct err own = ERR_INIT;
	char *path = NULL;
	unsigned n = 0;
	int status;

	/* Places are used again: what a kept replay wrote must stay. */
	if (asprintf(&path, "%s/%s-%s-%u.json", t->work_dir, what->name, what->unit, what->oio) <
	    0) {
		err_run(err, "twin: out of memory");
		return EXIT_RUN;
	}
	if (strcmp(what->name, "trace") == 0) {
		args[n++] = twin_arg(profile, sizeof(profile), "--replay-trace=%s", t->trace_path);
	} else {
		args[n++] = twin_arg(profile, sizeof(profile), "--profile=%s", t->profile_path);
		args[n++] = twin_arg(kind, sizeof(kind), "--transactions=%s",
		                     strcmp(what->unit, "transaction") == 0 ? "on" : "off");
		args[n++] = twin_arg(time, sizeof(time), "--time=%lluns",
		                     (unsigned long long)opt_time_ns(t->options, "time"));
		args[n++] = twin_arg(warmup, sizeof(warmup), "--warmup-time=%lluns",
		                     (unsigned long long)opt_time_ns(t->options, "warmup-time"));
	}
	args[n++] = twin_arg(oio, sizeof(oio), "--oio=%u", what->oio);
	if (what->rate_per_s > 0)
		args[n++] = twin_arg(rate, sizeof(rate), "--rate=%.6f", what->rate_per_s);
	args[n++] = twin_arg(output, sizeof(output), "--output=%s", path);
	args[n++] = PERCENTILES;
	log_notice(&t->log, "twin: %s of %ss, %u outstanding", what->name,
	           strcmp(what->unit, "io") == 0 ? "I/O" : what->unit, what->oio);
	status = twin_raw(t, args, n);
	if (access(path, R_OK) != 0) {
		free(path);
		return status != EXIT_OK ? status : EXIT_RUN;
	}
	tree_fini(&t->results[at]);
	free((char *)(uintptr_t)t->done[at].result);
	t->done[at] = *what;
	t->done[at].result = path;
	if (rep_json_read(&t->results[at], path, &own) != 0) {
		*err = err_is_set(err) ? *err : own;
		return EXIT_RUN;
	}
	if (at == t->ndone)
		t->ndone++;
	t->partial = t->partial || status != EXIT_OK;
	return status;
}

static unsigned own_oio(const struct twin *t, bool transactions)
{
	double n = transactions ? t->shape->clients : round(t->shape->outstanding_mean);

	return n < 1 ? 1 : n > OIO_MAX ? OIO_MAX : (unsigned)n;
}

static int pace(struct twin *t, const char *unit, bool transactions, struct err *err)
{
	const struct distilled *d = t->shape;
	double n = transactions ? (double)d->transactions : (double)(d->reads + d->writes);
	unsigned oio = 4 * (transactions ? d->clients : d->outstanding_p99);
	struct twin_replay what = {.name = "pace", .unit = unit};

	if (d->elapsed_s <= 0)
		return EXIT_OK;
	what.rate_per_s = n / d->elapsed_s;
	what.oio = oio < PACE_OIO_MIN ? PACE_OIO_MIN : oio > PACE_OIO_MAX ? PACE_OIO_MAX : oio;
	return replay(t, t->ndone, &what, err);
}

/* Of the steps, the best is kept. */
static int saturation(struct twin *t, const char *unit, bool transactions, double best,
                      struct err *err)
{
	struct twin_replay what = {.name = "saturation", .unit = unit};
	unsigned at = t->ndone, scratch = at + 1;
	int status = EXIT_OK;

	if (scratch >= TWIN_REPLAYS_MAX)
		return EXIT_OK;
	for (unsigned oio = own_oio(t, transactions) * (best > 0 ? 2 : 1);
	     oio <= OIO_MAX && status == EXIT_OK; oio *= 2) {
		bool first = t->ndone == at;
		double now;

		what.oio = oio;
		status = replay(t, first ? at : scratch, &what, err);
		if (t->ndone <= at || (!first && t->ndone <= scratch))
			break;
		now = throughput(&t->results[first ? at : scratch]);
		if (!first) {
			if (now > throughput(&t->results[at])) {
				struct twin_replay swap = t->done[at];
				struct tree tree = t->results[at];

				t->done[at] = t->done[scratch];
				t->results[at] = t->results[scratch];
				t->done[scratch] = swap;
				t->results[scratch] = tree;
			}
			t->ndone = scratch;
		}
		if (now < best * GAIN_MIN)
			break;
		best = now;
	}
	return status;
}

static int one_unit(struct twin *t, const char *unit, bool transactions, struct err *err)
{
	struct twin_replay what = {
	    .name = "capability", .unit = unit, .oio = own_oio(t, transactions)};
	double found = 0;
	int status = EXIT_OK;

	if ((t->replays & TWIN_PACE) != 0)
		status = pace(t, unit, transactions, err);
	if (status == EXIT_OK && (t->replays & TWIN_CAPABILITY) != 0) {
		status = replay(t, t->ndone, &what, err);
		if (status == EXIT_OK)
			found = throughput(&t->results[t->ndone - 1]);
	}
	if (status == EXIT_OK && (t->replays & TWIN_SATURATION) != 0)
		status = saturation(t, unit, transactions, found, err);
	return status;
}

int twin_replay_all(struct twin *t, struct err *err)
{
	struct twin_replay exact = {.name = "trace", .unit = "io", .oio = PACE_OIO_MAX};
	int status = EXIT_OK;

	if (t->ios)
		status = one_unit(t, "io", false, err);
	if (status == EXIT_OK && t->transactions)
		status = one_unit(t, "transaction", true, err);
	if (status == EXIT_OK && (t->replays & TWIN_TRACE) != 0)
		status = replay(t, t->ndone, &exact, err);
	t->partial = t->partial || status != EXIT_OK;
	return status;
}
