/* SPDX-License-Identifier: MIT */
#include "report/figures.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const double fixed_percentiles[] = {50, 90, 95, 99, 99.9, 99.99};

#define NFIXED ((unsigned)(sizeof(fixed_percentiles) / sizeof(fixed_percentiles[0])))

double figures_rate(uint64_t n, const struct run_figures *f)
{
	return f->elapsed_s > 0 ? (double)n / f->elapsed_s : 0;
}

uint64_t figures_queries(const struct run_figures *f)
{
	uint64_t n = 0;

	for (unsigned i = 0; f->sum != NULL && i < TALLY_CLASSES; i++)
		n += f->sum->classes[i];
	return n;
}

bool figures_is_raw(const struct result *r)
{
	return r->kind != NULL && strcmp(r->kind, "raw") == 0;
}

uint64_t figures_ios(const struct run_figures *f)
{
	return f->sum != NULL ? f->sum->classes[TALLY_READ] + f->sum->classes[TALLY_WRITE] : 0;
}

uint64_t figures_bytes(const struct run_figures *f)
{
	return f->sum != NULL ? f->sum->bytes[TALLY_READ] + f->sum->bytes[TALLY_WRITE] : 0;
}

bool figures_stalled(const struct run_figures *f)
{
	return f->ok == 0 && f->oldest_ns > 0;
}

void figures_latency(struct figures_latency *l, const struct hist *h)
{
	*l = (struct figures_latency){0};
	if (h == NULL)
		return;
	l->count = hist_count(h);
	if (l->count == 0)
		return;
	l->min_ns = h->min_ns;
	l->max_ns = h->max_ns;
	l->mean_ns = figures_finite(hist_mean_ns(h));
	l->stddev_ns = figures_finite(hist_stddev_ns(h));
	l->sum_ms = (double)h->sum_ns / 1e6;
}

void figures_response(struct figures_latency *l, const struct run_figures *f)
{
	figures_latency(l, f->sum != NULL ? f->sum->latency : NULL);
	if (!figures_stalled(f))
		return;
	l->min_ns = f->oldest_ns;
	l->max_ns = f->oldest_ns;
	l->mean_ns = (double)f->oldest_ns;
}

uint64_t figures_percentile_ns(const struct run_figures *f, double percentile)
{
	if (figures_stalled(f))
		return f->oldest_ns;
	if (f->sum == NULL || f->sum->latency == NULL)
		return 0;
	return hist_percentile_ns(f->sum->latency, percentile);
}

unsigned figures_percentiles(const struct run_config *config, double out[FIGURES_PERCENTILES_MAX])
{
	unsigned asked = 0, fixed = 0, n = 0;

	while (asked < config->npercentiles || fixed < NFIXED) {
		double a = asked < config->npercentiles ? config->percentiles[asked] : INFINITY;
		double b = fixed < NFIXED ? fixed_percentiles[fixed] : INFINITY;
		double next = a < b ? a : b;

		asked += a <= b;
		fixed += b <= a;
		if (n == 0 || next > out[n - 1])
			out[n++] = next;
	}
	return n;
}

double figures_finite(double v)
{
	return isfinite(v) ? v : 0;
}

const struct tally_sum *figures_sum(const struct result *r)
{
	return r->run != NULL ? r->run->total.sum : NULL;
}

const char *figures_end_name(enum run_end end)
{
	switch (end) {
	case RUN_END_TIME:
		return "time";
	case RUN_END_EVENTS:
		return "events";
	case RUN_END_SCRIPT:
		return "script";
	case RUN_END_SIGNAL:
		return "signal";
	case RUN_END_ERROR:
		break;
	}
	return "error";
}

const char *figures_class_name(enum tally_class class)
{
	switch (class) {
	case TALLY_READ:
		return "read";
	case TALLY_WRITE:
		return "write";
	case TALLY_OTHER:
	case TALLY_CLASSES:
		break;
	}
	return "other";
}

unsigned figures_target_clients(const struct result *r, unsigned i)
{
	unsigned n = r->run->ntargets, clients = r->config->threads;

	return clients / n + (i < clients % n);
}

bool figures_open_loop(const struct result *r)
{
	return r->config->rate_per_s > 0;
}

/* Length in bytes of the UTF-8 character at s, 0 when there is none. */
static unsigned utf8_length(const unsigned char *s)
{
	unsigned n = s[0] < 0x80   ? 1
	             : s[0] < 0xc2 ? 0
	             : s[0] < 0xe0 ? 2
	             : s[0] < 0xf0 ? 3
	             : s[0] < 0xf5 ? 4
	                           : 0;

	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Overlong forms, surrogates and what lies beyond U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

char *figures_label(char *buf, const char *text, unsigned columns)
{
	const unsigned char *s = (const unsigned char *)text;
	char *out = buf;
	char *cut = buf; /* where "..." would begin */
	unsigned used = 0;

	while (*s != '\0' && used < columns) {
		unsigned n = utf8_length(s);

		if (used + 3 <= columns)
			cut = out;
		if (n == 0)
			*out++ = '?';
		else if (n == 1)
			*out++ = *s < 0x20 || *s == 0x7f ? ' ' : (char)*s;
		else
			out = (char *)memcpy(out, s, n) + n;
		s += n != 0 ? n : 1;
		used++;
	}
	if (*s != '\0' && columns >= 3)
		out = (char *)memcpy(cut, "...", 3) + 3;
	*out = '\0';
	return buf;
}

int figures_flush(FILE *out)
{
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return errno != 0 ? -errno : -EIO;
}
