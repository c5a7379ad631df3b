/* SPDX-License-Identifier: MIT */
/* What the run asked of its drive, in some lines. */
#include <string.h>

#include "base/units.h"
#include "report/figures.h"
#include "report/rep_text.h"

static void latency(const char *name, const struct hist *h, FILE *out)
{
	if (h == NULL || hist_count(h) == 0)
		return;
	fprintf(out, "; %s mean %.1f, p99 %.1f", name, hist_mean_ns(h) / 1e3,
	        (double)hist_percentile_ns(h, 99) / 1e3);
}

/* "NAME 1.25 (5.0 KB)". */
static void share(const char *name, uint64_t count, uint64_t bytes, double n, FILE *out)
{
	fprintf(out, "%s %.2f", name, (double)count / n);
	if (bytes != 0)
		fprintf(out, " (%.1f KiB)", (double)bytes / n / 1024);
}

static void io_lines(const struct captured_io *io, FILE *out)
{
	double n = io->transactions != 0 ? (double)io->transactions : 1;

	fprintf(out, "           %s: ", io->transactions != 0 ? "per transaction" : "in all");
	share("reads", io->counts[CAPTURED_READ], io->bytes[CAPTURED_READ], n, out);
	share(", writes", io->counts[CAPTURED_WRITE], io->bytes[CAPTURED_WRITE], n, out);
	share(", flushes", io->counts[CAPTURED_FLUSH], 0, n, out);
	if (io->cached_reads != 0)
		share("; reads that the page cache served", io->cached_reads, 0, n, out);
	fprintf(out, "\n           outstanding mean %.2f, p99 %u", io->outstanding_mean,
	        io->outstanding_p99);
	latency("us: reads", io->latency[CAPTURED_READ], out);
	latency("us: writes", io->latency[CAPTURED_WRITE], out);
	latency("us: flushes", io->latency[CAPTURED_FLUSH], out);
	fprintf(out, "\n");
	if (io->has_commit)
		fprintf(
		    out,
		    "           of the transactions' time: %.1f %% in flushes, %.1f %% in reads "
		    "and flushes\n",
		    100 * io->flush_share, 100 * io->device_share);
}

static void device_line(const struct result_capture *c, FILE *out)
{
	const struct captured_device *d = c->device_stat;

	if (d == NULL)
		return;
	fprintf(out, "           %s by the kernel's count: reads %llu, writes %llu", c->device,
	        (unsigned long long)d->reads, (unsigned long long)d->writes);
	if (d->has_flushes)
		fprintf(out, ", flushes %llu", (unsigned long long)d->flushes);
	fprintf(out, "; busy %.1f %%, in its queue %.2f\n", 100 * d->busy_share, d->queue_mean);
}

void rep_text_counters(const struct result *r, FILE *out)
{
	size_t used = 0;

	for (unsigned i = 0; i < r->counters.n; i++) {
		const struct kv_item *item = &r->counters.items[i];
		size_t len = strlen(item->key) + strlen(item->text) + 3;

		/* What could not be read, and why, is in the JSON result. */
		if (strncmp(item->key, "counters_", 9) == 0)
			continue;
		/* The capture's own lines have those of the run's window. */
		if (r->capture != NULL && !figures_is_raw(r) &&
		    strncmp(item->key, "device", 6) == 0)
			continue;
		if (used == 0 || used + len > 110) {
			fprintf(out, "%s", used == 0 ? "Counters:  " : ",\n           ");
			used = 0;
		} else {
			fprintf(out, ", ");
		}
		fprintf(out, "%s %s", item->key, item->text);
		used += len;
	}
	if (used != 0)
		fprintf(out, "\n");
}

void rep_text_capture(const struct result *r, FILE *out)
{
	const struct result_capture *c = r->capture;

	if (c == NULL)
		return;
	fprintf(out, "Capture:   by %s", c->source);
	if (c->file != NULL)
		fprintf(out, ", %llu events in %s, %llu missing", (unsigned long long)c->events,
		        c->file, (unsigned long long)c->dropped);
	fprintf(out, "\n");
	if (c->io != NULL)
		io_lines(c->io, out);
	device_line(c, out);
	fprintf(out, "           CPUs %.1f %% busy, %.1f %% idle for I/O; this process %.2f CPU-s",
	        100 * c->system.busy_share, 100 * c->system.iowait_share, c->process.cpu_s);
	if (c->server != NULL)
		fprintf(out, ", the server %.2f CPU-s in %u processes", c->server->cpu_s,
		        c->server->processes);
	fprintf(out, "\n");
	for (unsigned i = 0; i < c->nunavailable; i++)
		fprintf(out, "           not had: %s\n", c->unavailable[i]);
}
