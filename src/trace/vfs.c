/* SPDX-License-Identifier: MIT */
#include "trace/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/cached.h"
#include "trace/vfs_pass.h"

/* A descriptor of our own, to ask what the page cache holds. */
struct probe {
	struct probe *next;
	dev_t dev;
	ino_t ino;
	int fd;
	enum cached_way way;
};

struct vfs {
	sqlite3_vfs base;
	sqlite3_vfs *real;
	struct recorder *recorder; /* NULL: the capture is over, and some files are still open */
	const struct clock *clock;
	_Atomic unsigned users; /* open files, and who made it */
	_Atomic unsigned depth; /* I/Os in flight, without those that the page cache serves */
	pthread_mutex_t lock;
	struct probe *probes;          /* under lock; stay open */
	const char *_Atomic blind;     /* why cached reads cannot be told */
	_Atomic uint64_t mapped_bytes; /* the most that a file was mapped with */
	unsigned nfiles;               /* under lock */
	struct {
		char path[sizeof(((struct trace_file *)0)->path)];
		unsigned index;
	} files[TRACE_FILES_MAX];
};

struct file {
	sqlite3_file base;
	struct vfs *vfs;
	sqlite3_file *real;
	const struct probe *probe; /* NULL: not asked */
	uint16_t index;            /* in the trace */
	bool ours;                 /* written moments before it is read: the page cache has it */
};

static struct file *file_of(sqlite3_file *f)
{
	return (struct file *)(void *)f;
}

static struct vfs *vfs_of(sqlite3_vfs *v)
{
	return (struct vfs *)(void *)v;
}

sqlite3_file *vfs_real_file(sqlite3_file *f)
{
	return file_of(f)->real;
}

sqlite3_vfs *vfs_real(sqlite3_vfs *v)
{
	return vfs_of(v)->real;
}

void vfs_mapped(sqlite3_file *f, uint64_t bytes)
{
	struct vfs *v = file_of(f)->vfs;

	if (bytes > v->mapped_bytes)
		v->mapped_bytes = bytes;
}

/* ---- recording ---- */

static uint64_t now_ns(const struct vfs *v)
{
	return clock_now_ns(v->clock) + v->clock->base_mono_ns;
}

/* Begins an I/O: its time, and the depth that it finds. A cached one is in nobody's queue. */
static void begin(struct file *f, struct trace_event *e)
{
	struct vfs *v = f->vfs;

	e->file = f->index;
	if ((e->flags & TRACE_CACHED) == 0) {
		unsigned depth = atomic_fetch_add_explicit(&v->depth, 1, memory_order_relaxed) + 1;

		e->depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX);
	}
	e->begin_ns = now_ns(v);
}

static void end(struct file *f, struct trace_event *e, bool failed)
{
	struct recorder_lane *lane = recorder_attached();
	struct vfs *v = f->vfs;
	uint64_t ended_ns = now_ns(v);

	if (e->depth != 0)
		atomic_fetch_sub_explicit(&v->depth, 1, memory_order_relaxed);
	if (lane == NULL || v->recorder == NULL)
		return;
	e->latency_ns = ended_ns > e->begin_ns ? ended_ns - e->begin_ns : 0;
	e->owner = lane->owner;
	if (failed)
		e->flags |= TRACE_FAILED;
	recorder_put(lane, e);
}

static bool is_cached(const struct file *f, uint64_t offset_bytes, uint64_t size_bytes)
{
	if (f->probe == NULL)
		return f->ours;
	return cached_is(f->probe->way, f->probe->fd, offset_bytes, size_bytes);
}

static int file_read(sqlite3_file *file, void *buf, int size, sqlite3_int64 offset)
{
	struct file *f = file_of(file);
	struct trace_event e = {
	    .op = TRACE_READ, .offset_bytes = (uint64_t)offset, .size_bytes = (uint32_t)size};
	int rc;

	if (is_cached(f, (uint64_t)offset, (uint64_t)size))
		e.flags = TRACE_CACHED;
	begin(f, &e);
	rc = f->real->pMethods->xRead(f->real, buf, size, offset);
	/* Behind the end of the file there is nothing to be read from a drive. */
	if (rc == SQLITE_IOERR_SHORT_READ)
		e.flags = TRACE_CACHED;
	end(f, &e, rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ);
	return rc;
}

static int file_write(sqlite3_file *file, const void *buf, int size, sqlite3_int64 offset)
{
	struct file *f = file_of(file);
	struct trace_event e = {
	    .op = TRACE_WRITE, .offset_bytes = (uint64_t)offset, .size_bytes = (uint32_t)size};
	int rc;

	begin(f, &e);
	rc = f->real->pMethods->xWrite(f->real, buf, size, offset);
	end(f, &e, rc != SQLITE_OK);
	return rc;
}

static int file_sync(sqlite3_file *file, int how)
{
	struct file *f = file_of(file);
	struct trace_event e = {.op = TRACE_FLUSH,
	                        .flags = (how & SQLITE_SYNC_DATAONLY) != 0 ? TRACE_DATASYNC : 0};
	int rc;

	begin(f, &e);
	rc = f->real->pMethods->xSync(f->real, how);
	end(f, &e, rc != SQLITE_OK);
	return rc;
}

static void leave(struct vfs *v)
{
	if (atomic_fetch_sub(&v->users, 1) != 1)
		return;
	pthread_mutex_destroy(&v->lock);
	while (v->probes != NULL) {
		struct probe *next = v->probes->next;

		free(v->probes);
		v->probes = next;
	}
	free(v);
}

static int file_close(sqlite3_file *file)
{
	struct file *f = file_of(file);
	int rc = f->real->pMethods->xClose(f->real);

	leave(f->vfs);
	return rc;
}

/* ---- opening ---- */

static enum trace_kind kind_of(int flags)
{
	if ((flags & SQLITE_OPEN_MAIN_DB) != 0)
		return TRACE_KIND_DATA;
	if ((flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) != 0)
		return TRACE_KIND_LOG;
	return TRACE_KIND_TEMPORARY;
}

/* Under lock. NULL: cannot be opened. */
static struct probe *new_probe(struct vfs *v, const char *path, const struct stat *st)
{
	struct probe *p = calloc(1, sizeof(*p));
	const char *why = NULL;

	if (p == NULL)
		return NULL;
	p->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (p->fd < 0) {
		free(p);
		return NULL;
	}
	p->dev = st->st_dev;
	p->ino = st->st_ino;
	p->way = cached_way_of(p->fd, &why);
	if (why != NULL)
		v->blind = why;
	p->next = v->probes;
	v->probes = p;
	return p;
}

/* One descriptor for each file, however often it is opened: it can never be closed. */
static const struct probe *probe_of(struct vfs *v, const char *path)
{
	struct probe *p;
	struct stat st;

	if (path == NULL || stat(path, &st) != 0)
		return NULL;
	pthread_mutex_lock(&v->lock);
	for (p = v->probes; p != NULL; p = p->next) {
		if (p->dev == st.st_dev && p->ino == st.st_ino)
			break;
	}
	if (p == NULL)
		p = new_probe(v, path, &st);
	pthread_mutex_unlock(&v->lock);
	return p;
}

static unsigned file_index(struct vfs *v, const char *path, enum trace_kind kind)
{
	static const char *const nameless = "(temporary)";
	bool named = path != NULL && kind != TRACE_KIND_TEMPORARY;
	unsigned index;

	if (v->recorder == NULL)
		return 0;
	index = recorder_file(v->recorder, named ? path : nameless, kind,
	                      (uint32_t)sysconf(_SC_PAGESIZE));
	pthread_mutex_lock(&v->lock);
	for (unsigned i = 0; named && i < v->nfiles; i++)
		named = v->files[i].index != index;
	if (named && v->nfiles < TRACE_FILES_MAX && strlen(path) < sizeof(v->files[0].path)) {
		v->files[v->nfiles].index = index;
		strcpy(v->files[v->nfiles++].path, path);
	}
	pthread_mutex_unlock(&v->lock);
	return index;
}

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                    int *out_flags)
{
	/* By the version of the methods that the real file has: SQLite looks at it. */
	static const sqlite3_io_methods methods[3] = {
	    VFS_METHODS(1, file_close, file_read, file_write, file_sync),
	    VFS_METHODS(2, file_close, file_read, file_write, file_sync),
	    VFS_METHODS(3, file_close, file_read, file_write, file_sync)};
	struct vfs *v = vfs_of(vfs);
	struct file *f = file_of(file);
	int version, rc;

	memset(f, 0, sizeof(*f));
	f->vfs = v;
	f->real = (sqlite3_file *)(void *)(f + 1);
	rc = v->real->xOpen(v->real, name, f->real, flags, out_flags);
	if (f->real->pMethods == NULL)
		return rc;
	atomic_fetch_add(&v->users, 1);
	version = f->real->pMethods->iVersion;
	f->base.pMethods = &methods[version >= 3 ? 2 : version == 2 ? 1 : 0];
	f->index = (uint16_t)file_index(v, name, kind_of(flags));
	f->ours = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0;
	if (rc == SQLITE_OK && !f->ours)
		f->probe = probe_of(v, name);
	return rc;
}

/* With `sync_dir` it flushes the directory. */
static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_dir)
{
	struct vfs *v = vfs_of(vfs);
	struct file f = {.vfs = v};
	struct trace_event e = {.op = TRACE_FLUSH};
	int rc;

	if (!sync_dir)
		return v->real->xDelete(v->real, name, sync_dir);
	f.index = (uint16_t)file_index(v, name, TRACE_KIND_LOG);
	begin(&f, &e);
	rc = v->real->xDelete(v->real, name, sync_dir);
	end(&f, &e, rc != SQLITE_OK && rc != SQLITE_IOERR_DELETE_NOENT);
	return rc;
}

/* ---- for its users ---- */

int vfs_new(struct vfs **out, struct recorder *recorder, const struct clock *clock, struct err *err)
{
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);
	struct vfs *v = calloc(1, sizeof(*v));
	int rc;

	*out = NULL;
	if (v == NULL || real == NULL) {
		free(v);
		err_run(err, "capture: SQLite has no VFS, or no memory is left");
		return -ENOMEM;
	}
	v->real = real;
	v->recorder = recorder;
	v->clock = clock;
	v->users = 1;
	pthread_mutex_init(&v->lock, NULL);
	vfs_pass_methods(&v->base, real);
	v->base.szOsFile = (int)sizeof(struct file) + real->szOsFile;
	v->base.zName = VFS_NAME;
	v->base.pAppData = v;
	v->base.xOpen = vfs_open;
	v->base.xDelete = vfs_delete;
	rc = sqlite3_vfs_register(&v->base, 0);
	if (rc != SQLITE_OK) {
		pthread_mutex_destroy(&v->lock);
		free(v);
		return err_run(err, "capture: SQLite refuses the VFS: %s", sqlite3_errstr(rc));
	}
	*out = v;
	return 0;
}

void vfs_sizes(struct vfs *v)
{
	struct stat st;

	for (unsigned i = 0; i < v->nfiles; i++) {
		if (stat(v->files[i].path, &st) == 0)
			recorder_file_size(v->recorder, v->files[i].index, (uint64_t)st.st_size);
	}
}

const char *vfs_blind(const struct vfs *v)
{
	return v->blind;
}

uint64_t vfs_mapped_bytes(const struct vfs *v)
{
	return v->mapped_bytes;
}

void vfs_free(struct vfs *v)
{
	if (v == NULL)
		return;
	sqlite3_vfs_unregister(&v->base);
	v->recorder = NULL;
	leave(v);
}
