/* SPDX-License-Identifier: MIT */
/* The stream of intervals to PATH.part, and the document that takes its place. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/rep_json.h"

#ifdef HAVE_JANSSON

#include <jansson.h>

#include "report/figures.h"

struct rep_json {
	json_t *intervals;
	char *path;   /* the document's, symbolic links followed; NULL: memory only */
	char *part;   /* path + ".part"; NULL: path is no regular file, the document is written into
	                 it */
	FILE *stream; /* of `part` */
	bool headed;  /* the first line is written */
};

static char *with_suffix(const char *path, const char *suffix)
{
	char *text = NULL;

	return asprintf(&text, "%s%s", path, suffix) < 0 ? NULL : text;
}

/* ENOSPC and its like, said with the file and what to do. Returns -error. */
static int write_error(struct err *err, const char *path, int error, const char *next_step)
{
	err_run(err, "%s: %s; %s", path, strerror(error), next_step);
	return -error;
}

static int open_path(struct rep_json *j, const char *path, struct err *err)
{
	char *real = realpath(path, NULL);
	int fd;

	j->path = real != NULL ? real : strdup(path);
	if (j->path == NULL)
		return write_error(err, path, ENOMEM, "free some memory");
	if (rep_json_special(j->path)) {
		fd = open(j->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		/* A pipe that nobody reads yet. */
		if (fd < 0 && errno != ENXIO)
			goto bad;
		if (fd >= 0)
			close(fd);
		return 0;
	}
	j->part = with_suffix(j->path, ".part");
	if (j->part == NULL)
		return write_error(err, path, ENOMEM, "free some memory");
	j->stream = fopen(j->part, "we");
	if (j->stream != NULL)
		return 0;
bad:
	fd = errno;
	err_usage(err, "%s: cannot write: %s; choose another --output", path, strerror(fd));
	return -fd;
}

int rep_json_open(struct rep_json **out, const char *path, struct err *err)
{
	struct rep_json *j = calloc(1, sizeof(*j));
	int rc;

	*out = NULL;
	if (j == NULL || (j->intervals = json_array()) == NULL) {
		free(j);
		return write_error(err, path != NULL ? path : "JSON", ENOMEM, "free some memory");
	}
	rc = path != NULL ? open_path(j, path, err) : 0;
	if (rc != 0) {
		rep_json_close(j);
		return rc;
	}
	*out = j;
	return 0;
}

/* One object on a line of its own, at once in the kernel's hands. */
static int part_line(struct rep_json *j, const json_t *object)
{
	clearerr(j->stream);
	errno = 0;
	if (object == NULL)
		return -ENOMEM;
	if (json_dumpf(object, j->stream, REP_JSON_FLAGS | JSON_COMPACT) != 0 ||
	    fputc('\n', j->stream) == EOF)
		return errno != 0 ? -errno : -EIO;
	return figures_flush(j->stream);
}

int rep_json_interval(struct rep_json *j, const struct result *r, const struct run_figures *f)
{
	json_t *object = rep_json_interval_object(r, f);
	int rc = 0;

	if (json_array_append(j->intervals, object) != 0) {
		json_decref(object);
		return -ENOMEM;
	}
	if (j->stream != NULL && !j->headed) {
		json_t *head = rep_json_head(r);

		rc = part_line(j, head);
		json_decref(head);
		j->headed = rc == 0;
	}
	if (j->stream != NULL && rc == 0)
		rc = part_line(j, object);
	json_decref(object);
	return rc;
}

/* ---- the document ---- */

static int replace_path(struct rep_json *j, const json_t *document, struct err *err)
{
	char next_step[PATH_MAX + 64];
	int rc;

	rc = rep_json_replace(document, j->path);
	if (rc != 0 && j->part == NULL)
		return write_error(err, j->path, -rc,
		                   "the result was not written; choose another --output");
	if (rc != 0) {
		snprintf(next_step, sizeof(next_step),
		         "the result was not written, the intervals are in %s; make room or choose "
		         "another --output",
		         j->part);
		return write_error(err, j->path, -rc, next_step);
	}
	if (j->part == NULL)
		return 0;
	fclose(j->stream);
	j->stream = NULL;
	unlink(j->part);
	return 0;
}

int rep_json_final(struct rep_json *j, const struct result *r, FILE *out, struct err *err)
{
	json_t *document = rep_json_document(r, j->intervals);
	int rc = 0, rc_out = 0;

	if (document == NULL)
		return write_error(err, j->path != NULL ? j->path : "JSON", ENOMEM,
		                   "free some memory");
	if (j->path != NULL)
		rc = replace_path(j, document, err);
	if (out != NULL) {
		rc_out = rep_json_dump(document, out);
		if (rc_out != 0)
			write_error(err, "standard output", -rc_out, "write to another place");
	}
	json_decref(document);
	return rc != 0 ? rc : rc_out;
}

/* Without a document before it, PATH.part stays: it is all there is. An empty one says nothing. */
void rep_json_close(struct rep_json *j)
{
	if (j == NULL)
		return;
	if (j->stream != NULL) {
		fclose(j->stream);
		if (!j->headed)
			unlink(j->part);
	}
	json_decref(j->intervals);
	free(j->path);
	free(j->part);
	free(j);
}

#else

int rep_json_open(struct rep_json **j, const char *path, struct err *err)
{
	(void)path;
	*j = NULL;
	err_usage(err, "JSON: this ioltp was built without jansson; build it with libjansson-dev "
	               "or use another --format");
	return -ENOTSUP;
}

/* No stream exists without rep_json_open. */
int rep_json_interval(struct rep_json *j, const struct result *r, const struct run_figures *f)
{
	(void)j;
	(void)r;
	(void)f;
	return -ENOTSUP;
}

int rep_json_final(struct rep_json *j, const struct result *r, FILE *out, struct err *err)
{
	(void)j;
	(void)r;
	(void)out;
	(void)err;
	return -ENOTSUP;
}

void rep_json_close(struct rep_json *j)
{
	(void)j;
}

#endif
