/* SPDX-License-Identifier: MIT */
#include "trace/vfs_pass.h"

#include <stddef.h>

/* ---- a file's ---- */

static const sqlite3_io_methods *methods_of(sqlite3_file *f)
{
	return vfs_real_file(f)->pMethods;
}

int vfs_pass_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	return methods_of(f)->xTruncate(vfs_real_file(f), size);
}

int vfs_pass_file_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return methods_of(f)->xFileSize(vfs_real_file(f), size);
}

int vfs_pass_lock(sqlite3_file *f, int level)
{
	return methods_of(f)->xLock(vfs_real_file(f), level);
}

int vfs_pass_unlock(sqlite3_file *f, int level)
{
	return methods_of(f)->xUnlock(vfs_real_file(f), level);
}

int vfs_pass_check_lock(sqlite3_file *f, int *held)
{
	return methods_of(f)->xCheckReservedLock(vfs_real_file(f), held);
}

int vfs_pass_control(sqlite3_file *f, int op, void *arg)
{
	int rc;

	if (op == SQLITE_FCNTL_MMAP_SIZE && *(sqlite3_int64 *)arg > 0)
		vfs_mapped(f, (uint64_t) * (sqlite3_int64 *)arg);
	rc = methods_of(f)->xFileControl(vfs_real_file(f), op, arg);
	if (op == SQLITE_FCNTL_VFSNAME && rc == SQLITE_OK)
		*(char **)arg = sqlite3_mprintf("ioltp-capture/%z", *(char **)arg);
	return rc;
}

int vfs_pass_sector_size(sqlite3_file *f)
{
	return methods_of(f)->xSectorSize(vfs_real_file(f));
}

int vfs_pass_characteristics(sqlite3_file *f)
{
	return methods_of(f)->xDeviceCharacteristics(vfs_real_file(f));
}

int vfs_pass_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **at)
{
	return methods_of(f)->xShmMap(vfs_real_file(f), page, size, extend, at);
}

int vfs_pass_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return methods_of(f)->xShmLock(vfs_real_file(f), offset, n, flags);
}

void vfs_pass_shm_barrier(sqlite3_file *f)
{
	methods_of(f)->xShmBarrier(vfs_real_file(f));
}

int vfs_pass_shm_unmap(sqlite3_file *f, int remove)
{
	return methods_of(f)->xShmUnmap(vfs_real_file(f), remove);
}

int vfs_pass_fetch(sqlite3_file *f, sqlite3_int64 offset, int size, void **at)
{
	return methods_of(f)->xFetch(vfs_real_file(f), offset, size, at);
}

int vfs_pass_unfetch(sqlite3_file *f, sqlite3_int64 offset, void *at)
{
	return methods_of(f)->xUnfetch(vfs_real_file(f), offset, at);
}

/* ---- the VFS's ---- */

static int pass_access(sqlite3_vfs *v, const char *name, int flags, int *out)
{
	return vfs_real(v)->xAccess(vfs_real(v), name, flags, out);
}

static int pass_full_pathname(sqlite3_vfs *v, const char *name, int room, char *out)
{
	return vfs_real(v)->xFullPathname(vfs_real(v), name, room, out);
}

static void *pass_dl_open(sqlite3_vfs *v, const char *name)
{
	return vfs_real(v)->xDlOpen(vfs_real(v), name);
}

static void pass_dl_error(sqlite3_vfs *v, int room, char *text)
{
	vfs_real(v)->xDlError(vfs_real(v), room, text);
}

static void (*pass_dl_sym(sqlite3_vfs *v, void *handle, const char *name))(void)
{
	return vfs_real(v)->xDlSym(vfs_real(v), handle, name);
}

static void pass_dl_close(sqlite3_vfs *v, void *handle)
{
	vfs_real(v)->xDlClose(vfs_real(v), handle);
}

static int pass_randomness(sqlite3_vfs *v, int size, char *out)
{
	return vfs_real(v)->xRandomness(vfs_real(v), size, out);
}

static int pass_sleep(sqlite3_vfs *v, int us)
{
	return vfs_real(v)->xSleep(vfs_real(v), us);
}

static int pass_current_time(sqlite3_vfs *v, double *out)
{
	return vfs_real(v)->xCurrentTime(vfs_real(v), out);
}

static int pass_last_error(sqlite3_vfs *v, int room, char *out)
{
	return vfs_real(v)->xGetLastError(vfs_real(v), room, out);
}

static int pass_current_time_int64(sqlite3_vfs *v, sqlite3_int64 *out)
{
	return vfs_real(v)->xCurrentTimeInt64(vfs_real(v), out);
}

static int pass_set_system_call(sqlite3_vfs *v, const char *name, sqlite3_syscall_ptr call)
{
	return vfs_real(v)->xSetSystemCall(vfs_real(v), name, call);
}

static sqlite3_syscall_ptr pass_get_system_call(sqlite3_vfs *v, const char *name)
{
	return vfs_real(v)->xGetSystemCall(vfs_real(v), name);
}

static const char *pass_next_system_call(sqlite3_vfs *v, const char *name)
{
	return vfs_real(v)->xNextSystemCall(vfs_real(v), name);
}

void vfs_pass_methods(sqlite3_vfs *v, const sqlite3_vfs *real)
{
	*v = (sqlite3_vfs){.iVersion = real->iVersion > 3 ? 3 : real->iVersion,
	                   .mxPathname = real->mxPathname,
	                   .xAccess = pass_access,
	                   .xFullPathname = pass_full_pathname,
	                   .xDlOpen = pass_dl_open,
	                   .xDlError = pass_dl_error,
	                   .xDlSym = pass_dl_sym,
	                   .xDlClose = pass_dl_close,
	                   .xRandomness = pass_randomness,
	                   .xSleep = pass_sleep,
	                   .xCurrentTime = pass_current_time,
	                   .xGetLastError = pass_last_error,
	                   .xCurrentTimeInt64 = pass_current_time_int64,
	                   .xSetSystemCall = pass_set_system_call,
	                   .xGetSystemCall = pass_get_system_call,
	                   .xNextSystemCall = pass_next_system_call};
	/* What the real one does not have, SQLite must not find here. */
	if (real->xDlOpen == NULL) {
		v->xDlOpen = NULL;
		v->xDlError = NULL;
		v->xDlSym = NULL;
		v->xDlClose = NULL;
	}
}
