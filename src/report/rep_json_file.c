/* SPDX-License-Identifier: MIT */
/* A JSON document as a file: whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/rep_json.h"

#ifdef HAVE_JANSSON

#include <jansson.h>

#include "report/figures.h"

bool rep_json_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

int rep_json_dump(const json_t *document, FILE *out)
{
	errno = 0;
	if (json_dumpf(document, out, REP_JSON_FLAGS | JSON_INDENT(1)) != 0 ||
	    fputc('\n', out) == EOF)
		return errno != 0 ? -errno : -EIO;
	return figures_flush(out);
}

static int sync_directory_of(const char *path)
{
	char *copy = strdup(path);
	int fd, rc = 0;

	if (copy == NULL)
		return -ENOMEM;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	if (fd < 0)
		return -errno;
	/* Some file systems cannot, and then need not. */
	if (fsync(fd) != 0 && errno != EINVAL)
		rc = -errno;
	close(fd);
	return rc;
}

/* Writes all of a new file to the drive. */
static int write_file(const char *path, const json_t *document, bool sync)
{
	FILE *out = fopen(path, "we");
	int rc;

	if (out == NULL)
		return -errno;
	rc = rep_json_dump(document, out);
	if (rc == 0 && sync && fsync(fileno(out)) != 0)
		rc = -errno;
	if (fclose(out) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

static int rename_over(const char *path, const json_t *document)
{
	char *fresh = NULL;
	int rc;

	if (asprintf(&fresh, "%s.new", path) < 0)
		return -ENOMEM;
	rc = write_file(fresh, document, true);
	if (rc == 0 && rename(fresh, path) != 0)
		rc = -errno;
	if (rc == 0)
		rc = sync_directory_of(path);
	if (rc != 0)
		unlink(fresh);
	free(fresh);
	return rc;
}

int rep_json_replace(const json_t *document, const char *path)
{
	char *real = realpath(path, NULL);
	const char *at = real != NULL ? real : path;
	int rc = rep_json_special(at) ? write_file(at, document, false) : rename_over(at, document);

	free(real);
	return rc;
}

#endif
