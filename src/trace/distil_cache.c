/* SPDX-License-Identifier: MIT */
/*
 * The model of the page cache: what I/Os of files ask of the drive. Reads that were served from
 * memory are none; other reads, and all writes, are of whole pages. Written pages are dirty until
 * their file is flushed, and go out then as runs of neighbours; the kernel writes those by itself
 * that were dirty for 30 s, looking every 5 s.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/distil_priv.h"

#define PAGE_BYTES     4096u
#define RUN_PAGES      256u /* 1 MiB: what the kernel puts into one request */
#define DIRTY_AGE_NS   30000000000u
#define DIRTY_CHECK_NS 5000000000u

struct dirty_page {
	uint64_t page;
	uint64_t since_ns;
};

struct cached_file {
	struct dirty_page *pages; /* in the order in which they got dirty */
	size_t n, room;
	uint8_t *dirty; /* a bit for each page */
	uint64_t nbits;
};

struct cache {
	struct load *load;
	struct cached_file files[TRACE_FILES_MAX];
	uint64_t checked_ns;
};

static int by_page(const void *a, const void *b)
{
	uint64_t x = ((const struct dirty_page *)a)->page, y = ((const struct dirty_page *)b)->page;

	return (x > y) - (x < y);
}

/* Room for a bit of each page up to this one. */
static int cover(struct cached_file *f, uint64_t page)
{
	uint64_t nbits = (page / 8 + 1) * 2 * 8;
	uint8_t *dirty;

	if (page < f->nbits)
		return 0;
	dirty = realloc(f->dirty, nbits / 8);
	if (dirty == NULL)
		return -ENOMEM;
	memset(dirty + f->nbits / 8, 0, (nbits - f->nbits) / 8);
	f->dirty = dirty;
	f->nbits = nbits;
	return 0;
}

static int soil(struct cached_file *f, uint64_t page, uint64_t now_ns)
{
	if (cover(f, page) != 0)
		return -ENOMEM;
	if ((f->dirty[page / 8] >> (page % 8) & 1) != 0)
		return 0;
	if (f->n == f->room) {
		size_t room = f->room != 0 ? 2 * f->room : 256;
		struct dirty_page *pages = realloc(f->pages, room * sizeof(*pages));

		if (pages == NULL)
			return -ENOMEM;
		f->pages = pages;
		f->room = room;
	}
	f->dirty[page / 8] |= (uint8_t)(1u << (page % 8));
	f->pages[f->n++] = (struct dirty_page){page, now_ns};
	return 0;
}

/* Writes the first n dirty pages as runs, as part of `like`. */
static int write_pages(struct cache *c, unsigned file, size_t n, const struct load_io *like)
{
	struct cached_file *f = &c->files[file];
	int rc = 0;

	if (n == 0)
		return 0;
	qsort(f->pages, n, sizeof(*f->pages), by_page);
	for (size_t i = 0, from = 0; i < n && rc == 0; i++) {
		uint64_t page = f->pages[i].page;
		struct load_io io = *like;

		f->dirty[page / 8] &= (uint8_t) ~(1u << (page % 8));
		if (i + 1 < n && f->pages[i + 1].page == page + 1 && i + 1 - from < RUN_PAGES)
			continue;
		io.op = TRACE_WRITE;
		io.file = (uint8_t)file;
		io.offset_bytes = f->pages[from].page * PAGE_BYTES;
		io.size_bytes = (uint32_t)(i + 1 - from) * PAGE_BYTES;
		io.depth = 0;
		rc = load_add(c->load, &io);
		from = i + 1;
	}
	memmove(f->pages, f->pages + n, (f->n - n) * sizeof(*f->pages));
	f->n -= n;
	return rc;
}

/* The kernel's own writing, of pages that got dirty before a time. */
static int write_back(struct cache *c, uint64_t now_ns, uint64_t before_ns)
{
	const struct load_io like = {.begin_ns = now_ns, .end_ns = now_ns, .no_client = true};
	int rc = 0;

	for (unsigned i = 0; i < c->load->nfiles && rc == 0; i++) {
		size_t n = 0;

		while (n < c->files[i].n && c->files[i].pages[n].since_ns < before_ns)
			n++;
		if (n != 0)
			rc = write_pages(c, i, n, &like);
	}
	return rc;
}

static int take(struct cache *c, const struct trace_event *e)
{
	uint64_t first = e->offset_bytes / PAGE_BYTES;
	uint64_t end = (e->offset_bytes + e->size_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	struct load_io io = {.begin_ns = e->begin_ns,
	                     .end_ns = e->begin_ns + e->latency_ns,
	                     .owner = e->owner,
	                     .file = (uint8_t)e->file,
	                     .op = e->op,
	                     .flags = e->flags | TRACE_SYNC};
	int rc = 0;

	switch (e->op) {
	case TRACE_READ:
		if ((e->flags & TRACE_CACHED) != 0 || e->size_bytes == 0) {
			c->load->cached_reads += (e->flags & TRACE_CACHED) != 0;
			return 0;
		}
		io.offset_bytes = first * PAGE_BYTES;
		io.size_bytes = (uint32_t)(end - first) * PAGE_BYTES;
		return load_add(c->load, &io);
	case TRACE_WRITE:
		for (uint64_t page = first; page < end && rc == 0; page++)
			rc = soil(&c->files[e->file], page, e->begin_ns);
		return rc;
	case TRACE_FLUSH:
		rc = write_pages(c, e->file, c->files[e->file].n, &io);
		return rc == 0 ? load_add(c->load, &io) : rc;
	default:
		return 0;
	}
}

/* ---- addresses: one file after another ---- */

/* "db" of "/home/x/db.sqlite" says enough; the kind is told beside it. */
static void name_file(struct load_file *file, const struct trace_file *f)
{
	const char *base = strrchr(f->path, '/');

	base = base != NULL ? base + 1 : f->path;
	snprintf(file->name, sizeof(file->name), "%.39s", base);
}

static void lay_out(struct load *l, const struct trace *t)
{
	uint64_t end[TRACE_FILES_MAX] = {0}, base = 0;
	bool used[TRACE_FILES_MAX] = {false};

	for (size_t i = 0; i < l->n; i++) {
		const struct load_io *io = &l->ios[i];

		if (io->op == TRACE_FLUSH)
			continue;
		used[io->file] = true;
		if (io->offset_bytes + io->size_bytes > end[io->file])
			end[io->file] = io->offset_bytes + io->size_bytes;
	}
	for (unsigned i = 0; i < l->nfiles; i++) {
		uint64_t size_bytes = t->files[i].size_bytes;

		if (!used[i])
			continue;
		size_bytes += (PAGE_BYTES - size_bytes % PAGE_BYTES) % PAGE_BYTES;
		l->files[i].base_bytes = base;
		l->files[i].span_bytes = size_bytes > end[i] ? size_bytes : end[i];
		base += l->files[i].span_bytes;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (l->ios[i].op != TRACE_FLUSH)
			l->ios[i].offset_bytes += l->files[l->ios[i].file].base_bytes;
	}
	l->span_bytes = base;
}

int load_from_files(struct load *l, const struct trace *t)
{
	struct cache *c = calloc(1, sizeof(*c));
	int rc = 0;

	if (c == NULL)
		return -ENOMEM;
	c->load = l;
	l->nfiles = t->head.nfiles;
	c->checked_ns = t->head.begin_ns;
	for (unsigned i = 0; i < l->nfiles; i++) {
		name_file(&l->files[i], &t->files[i]);
		l->files[i].log = t->files[i].kind == TRACE_KIND_LOG;
	}
	for (size_t i = 0; rc == 0 && i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];

		if (e->file >= l->nfiles)
			continue;
		if (e->begin_ns >= c->checked_ns + DIRTY_CHECK_NS) {
			c->checked_ns = e->begin_ns;
			rc = e->begin_ns > DIRTY_AGE_NS
			         ? write_back(c, e->begin_ns, e->begin_ns - DIRTY_AGE_NS)
			         : 0;
		}
		l->failed += e->op != TRACE_TXN && (e->flags & TRACE_FAILED) != 0;
		if (rc == 0)
			rc = take(c, e);
	}
	/* What is still dirty goes out after the end: it was asked of the drive all the same. */
	if (rc == 0)
		rc = write_back(c, t->head.end_ns, UINT64_MAX);
	for (size_t i = 0; rc == 0 && i < l->n; i++)
		l->ios[i].sequential = l->ios[i].op == TRACE_WRITE && l->files[l->ios[i].file].log;
	lay_out(l, t);
	for (unsigned i = 0; i < TRACE_FILES_MAX; i++) {
		free(c->files[i].pages);
		free(c->files[i].dirty);
	}
	free(c);
	return rc;
}
