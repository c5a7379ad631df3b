/* SPDX-License-Identifier: MIT */
/* vfs_pass: the methods of a VFS and its files that only hand on. For vfs.c. */
#ifndef IOLTP_TRACE_VFS_PASS_H
#define IOLTP_TRACE_VFS_PASS_H

#include <sqlite3.h>
#include <stdint.h>

#if SQLITE_VERSION_NUMBER < 3040000
typedef const char *sqlite3_filename;
#endif

/* What vfs.c keeps behind SQLite's own structs. */
sqlite3_file *vfs_real_file(sqlite3_file *f);
sqlite3_vfs *vfs_real(sqlite3_vfs *v);
void vfs_mapped(sqlite3_file *f, uint64_t bytes);

/* Sets all methods, and what describes the real one, but name, size and opening. */
void vfs_pass_methods(sqlite3_vfs *v, const sqlite3_vfs *real);

int vfs_pass_truncate(sqlite3_file *f, sqlite3_int64 size);
int vfs_pass_file_size(sqlite3_file *f, sqlite3_int64 *size);
int vfs_pass_lock(sqlite3_file *f, int level);
int vfs_pass_unlock(sqlite3_file *f, int level);
int vfs_pass_check_lock(sqlite3_file *f, int *held);
int vfs_pass_control(sqlite3_file *f, int op, void *arg);
int vfs_pass_sector_size(sqlite3_file *f);
int vfs_pass_characteristics(sqlite3_file *f);
int vfs_pass_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **at);
int vfs_pass_shm_lock(sqlite3_file *f, int offset, int n, int flags);
void vfs_pass_shm_barrier(sqlite3_file *f);
int vfs_pass_shm_unmap(sqlite3_file *f, int remove);
int vfs_pass_fetch(sqlite3_file *f, sqlite3_int64 offset, int size, void **at);
int vfs_pass_unfetch(sqlite3_file *f, sqlite3_int64 offset, void *at);

/* The methods of a file; SQLite calls those behind its version's for no reason. */
#define VFS_METHODS(version, close, read, write, sync)                                             \
	{                                                                                          \
		.iVersion = version, .xClose = close, .xRead = read, .xWrite = write,              \
		.xTruncate = vfs_pass_truncate, .xSync = sync, .xFileSize = vfs_pass_file_size,    \
		.xLock = vfs_pass_lock, .xUnlock = vfs_pass_unlock,                                \
		.xCheckReservedLock = vfs_pass_check_lock, .xFileControl = vfs_pass_control,       \
		.xSectorSize = vfs_pass_sector_size,                                               \
		.xDeviceCharacteristics = vfs_pass_characteristics, .xShmMap = vfs_pass_shm_map,   \
		.xShmLock = vfs_pass_shm_lock, .xShmBarrier = vfs_pass_shm_barrier,                \
		.xShmUnmap = vfs_pass_shm_unmap, .xFetch = vfs_pass_fetch,                         \
		.xUnfetch = vfs_pass_unfetch,                                                      \
	}

#endif
