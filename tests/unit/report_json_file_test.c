/* SPDX-License-Identifier: MIT */
/* What is in the file system while a run goes on, after a crash, and when there is no room. */
#include "report_fixture.h"

#ifdef HAVE_JANSSON

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "report_json_fixture.h"

/* ---- the file ---- */

/* A crash after three intervals leaves a head and three intervals, and the last result untouched.
 */
static void crash(void **state)
{
	struct run_figures f;
	char line[65536];
	unsigned n = 0;
	int status;
	FILE *in;
	pid_t pid;

	(void)state;
	in = fopen(path, "w");
	fputs("the last one\n", in);
	fclose(in);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct rep_json *j;

		if (rep_json_open(&j, path, NULL) != 0)
			_exit(1);
		for (unsigned i = 0; i < 3; i++) {
			f = interval(i, i + 1, 10 + i);
			if (rep_json_interval(j, &x->r, &f) != 0)
				_exit(2);
		}
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	in = fopen(part, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in) != NULL) {
		json_t *o = json_loads(line, 0, NULL);

		assert_non_null(o);
		if (n == 0)
			assert_string_equal(json_string_value(at(o, "schema", NULL)),
			                    RESULT_SCHEMA);
		else
			assert_int_equal(json_integer_value(at(o, "ok", NULL)), 9 + n);
		json_decref(o);
		n++;
	}
	fclose(in);
	assert_int_equal(n, 4);
	in = fopen(path, "r");
	assert_non_null(fgets(line, sizeof(line), in));
	assert_string_equal(line, "the last one\n");
	fclose(in);
}

static void never_finished(void **state)
{
	struct run_figures f = interval(0, 1, 1);
	struct rep_json *j;

	(void)state;
	assert_int_equal(rep_json_open(&j, path, NULL), 0);
	rep_json_close(j);
	assert_false(exists(part));
	assert_int_equal(rep_json_open(&j, path, NULL), 0);
	assert_int_equal(rep_json_interval(j, &x->r, &f), 0);
	rep_json_close(j);
	assert_true(exists(part));
	assert_false(exists(path));
}

static void bad_path(void **state)
{
	struct err err = ERR_INIT;
	struct rep_json *j;
	char bad[200];

	(void)state;
	snprintf(bad, sizeof(bad), "%s/none/out.json", dir);
	assert_int_equal(rep_json_open(&j, bad, &err), -ENOENT);
	assert_null(j);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_has(err.text, bad);
	err = ERR_INIT;
	assert_int_equal(rep_json_open(&j, dir, &err), -EISDIR);
	assert_has(err.text, dir);
}

/* A device is written into, never replaced by a file, and says when it is full. */
static void full_device(void **state)
{
	struct err err = ERR_INIT;
	struct rep_json *j;
	struct stat st;
	FILE *full;

	(void)state;
	assert_int_equal(rep_json_open(&j, "/dev/full", &err), 0);
	assert_int_equal(rep_json_final(j, &x->r, NULL, &err), -ENOSPC);
	assert_has(err.text, "/dev/full: No space left on device; ");
	assert_int_equal(err.status, EXIT_RUN);
	rep_json_close(j);
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_false(exists("/dev/full.part"));

	err = ERR_INIT;
	full = fopen("/dev/full", "w");
	assert_int_equal(rep_json_open(&j, NULL, &err), 0);
	assert_int_equal(rep_json_final(j, &x->r, full, &err), -ENOSPC);
	assert_has(err.text, "standard output: No space left");
	fclose(full);
	rep_json_close(j);
}

/* Writes until an interval does not fit, then the document, which must fail and leave what was
 * there. */
static void fill(int error)
{
	struct run_figures f = interval(0, 1, 1);
	struct err err = ERR_INIT;
	struct rep_json *j;
	unsigned n = 0;
	int rc = 0;

	assert_int_equal(rep_json_open(&j, path, &err), 0);
	for (unsigned i = 0; i < 2000 && rc == 0; i++) {
		rc = rep_json_interval(j, &x->r, &f);
		n += rc == 0;
	}
	assert_int_equal(rc, -error);
	assert_true(n > 0);
	assert_int_equal(rep_json_final(j, &x->r, NULL, &err), -error);
	assert_has(err.text, path);
	assert_has(err.text, strerror(error));
	assert_has(err.text, part);
	rep_json_close(j);
	assert_true(exists(part));
	assert_false(exists(fresh));
	assert_false(exists(path));
}

static void file_limit(void **state)
{
	struct rlimit old, low;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = old;
	low.rlim_cur = 16384;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	fill(EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
}

static void full_filesystem(void **state)
{
	(void)state;
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", dir, "tmpfs", 0, "size=64k") != 0) {
		print_message("note: not run, mounting a tmpfs needs root\n");
		skip();
	}
	fill(ENOSPC);
	assert_int_equal(umount2(dir, MNT_DETACH), 0);
}

static void through_a_link(void **state)
{
	struct stat st;
	char link[128];
	json_t *doc;

	(void)state;
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(close(creat(path, 0644)), 0);
	assert_int_equal(symlink("out.json", link), 0);
	{
		struct rep_json *j;

		assert_int_equal(rep_json_open(&j, link, NULL), 0);
		assert_int_equal(rep_json_final(j, &x->r, NULL, NULL), 0);
		rep_json_close(j);
	}
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	doc = json_load_file(path, 0, NULL);
	assert_non_null(doc);
	json_decref(doc);
	unlink(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CLOSED(crash),          CLOSED(never_finished), CLOSED(bad_path),
	    CLOSED(full_device),    CLOSED(file_limit),     CLOSED(full_filesystem),
	    CLOSED(through_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("SKIP: package libjansson-dev is missing (built without JSON)");
	return 77;
}

#endif
