/* SPDX-License-Identifier: MIT */
/*
 * Option files as the mysql client reads them, so that a password need not be on the command line.
 * Read here and not by the client library: the two libraries differ, and what a file leaves open
 * has other defaults here than theirs.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sql/drv_mysql.h"

enum { DEPTH_MOST = 10 };

struct reader {
	struct mydrv_file *file;
	const struct log *log;
	struct err *err;
	bool ours; /* inside of a group that is for us */
	int depth; /* of !include */
};

static int read_file(struct reader *r, const char *path);

static bool same_name(const char *a, const char *b)
{
	for (; *a != '\0' && *b != '\0'; a++, b++) {
		if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
			return false;
	}
	return *a == *b;
}

static char **place_of(struct mydrv_file *f, const char *name)
{
	const struct {
		const char *name;
		char **place;
	} places[] = {
	    {"user", &f->user},         {"password", &f->password},
	    {"database", &f->database}, {"host", &f->host},
	    {"port", &f->port},         {"socket", &f->socket},
	    {"ssl-ca", &f->ssl_ca},     {"ssl-cert", &f->ssl_cert},
	    {"ssl-key", &f->ssl_key},   {"ssl-cipher", &f->ssl_cipher},
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (same_name(places[i].name, name))
			return places[i].place;
	}
	return NULL;
}

static bool is_our_group(const char *name)
{
	static const char *const groups[] = {"client", "client-server", "client-mariadb", "ioltp"};

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (strcmp(groups[i], name) == 0)
			return true;
	}
	return false;
}

static char *trim(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* Ends the text where a comment begins outside of quotes. */
static void cut_comment(char *text)
{
	char quote = '\0';

	for (; *text != '\0'; text++) {
		if (*text == '\\' && text[1] != '\0') {
			text++;
		} else if (quote != '\0') {
			if (*text == quote)
				quote = '\0';
		} else if (*text == '\'' || *text == '"') {
			quote = *text;
		} else if (*text == '#') {
			*text = '\0';
			return;
		}
	}
}

/* Takes a pair of quotes around the value away and resolves \n, \t, \b, \r, \s and \\. */
static void unquote(char *text)
{
	static const char letters[] = "ntbrs\\'\"", means[] = "\n\t\b\r \\'\"";
	size_t len = strlen(text);
	char *out = text;

	if (len >= 2 && (text[0] == '\'' || text[0] == '"') && text[len - 1] == text[0]) {
		text[len - 1] = '\0';
		text++;
	}
	for (; *text != '\0'; text++) {
		const char *letter = NULL;

		if (*text == '\\' && text[1] != '\0')
			letter = strchr(letters, text[1]);
		if (letter != NULL) {
			*out++ = means[letter - letters];
			text++;
		} else {
			*out++ = *text;
		}
	}
	*out = '\0';
}

static int set_value(struct reader *r, char *line)
{
	char *value = strchr(line, '=');
	char **place;
	char *copy;

	if (value == NULL)
		return 0;
	*value++ = '\0';
	place = place_of(r->file, trim(line));
	if (place == NULL)
		return 0;
	cut_comment(value);
	value = trim(value);
	unquote(value);
	copy = strdup(value);
	if (copy == NULL)
		return err_run(r->err, "out of memory");
	free(*place);
	*place = copy;
	return 0;
}

static int read_folder(struct reader *r, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);
	int rc = 0;

	if (n < 0)
		return err_usage(r->err, "%s: %s; correct the !includedir line that names it", path,
		                 strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *dot = strrchr(entries[i]->d_name, '.');
		char full[4096];

		if (rc == 0 && dot != NULL && strcmp(dot, ".cnf") == 0) {
			snprintf(full, sizeof(full), "%s/%s", path, entries[i]->d_name);
			rc = read_file(r, full);
		}
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int read_line(struct reader *r, char *line)
{
	char *end;

	line = trim(line);
	if (*line == '\0' || *line == '#' || *line == ';')
		return 0;
	if (strncmp(line, "!includedir ", 12) == 0)
		return read_folder(r, trim(line + 12));
	if (strncmp(line, "!include ", 9) == 0)
		return read_file(r, trim(line + 9));
	if (*line == '[') {
		end = strchr(line, ']');
		if (end != NULL)
			*end = '\0';
		r->ours = is_our_group(trim(line + 1));
		return 0;
	}
	return r->ours ? set_value(r, line) : 0;
}

static int read_stream(struct reader *r, FILE *in)
{
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	r->ours = false;
	while (rc == 0 && getline(&line, &room, in) >= 0)
		rc = read_line(r, line);
	if (line != NULL)
		explicit_bzero(line, room); /* it may have been a password */
	free(line);
	return rc;
}

/* Whoever may write the file could send us, and our password, elsewhere. */
static bool is_safe(FILE *in)
{
	struct stat st;

	return fstat(fileno(in), &st) != 0 || !S_ISREG(st.st_mode) || (st.st_mode & S_IWOTH) == 0;
}

static int read_file(struct reader *r, const char *path)
{
	FILE *in;
	int rc = 0;

	if (r->depth == DEPTH_MOST)
		return err_usage(r->err,
		                 "%s: included too deeply; remove the circle of !include "
		                 "lines",
		                 path);
	in = fopen(path, "re");
	if (in == NULL)
		return err_usage(r->err, "%s: %s; correct the name or give another file", path,
		                 strerror(errno));
	r->depth++;
	if (is_safe(in))
		rc = read_stream(r, in);
	else
		log_warn(r->log, "%s: ignored, because anybody may write it; chmod o-w it", path);
	r->depth--;
	fclose(in);
	return rc;
}

int mydrv_file_read(struct mydrv_file *file, const char *path, const struct log *log,
                    struct err *err)
{
	struct reader r = {.file = file, .log = log, .err = err};
	const char *home = getenv("HOME");
	char own[4096];
	FILE *in;

	if (path != NULL)
		return read_file(&r, path);
	if (home == NULL || home[0] == '\0')
		return 0;
	snprintf(own, sizeof(own), "%s/.my.cnf", home);
	in = fopen(own, "re");
	if (in == NULL)
		return 0;
	fclose(in);
	return read_file(&r, own);
}

void mydrv_file_fini(struct mydrv_file *f)
{
	char *const texts[] = {f->user,   f->database, f->host,    f->port,      f->socket,
	                       f->ssl_ca, f->ssl_cert, f->ssl_key, f->ssl_cipher};

	if (f->password != NULL)
		explicit_bzero(f->password, strlen(f->password));
	free(f->password);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	*f = (struct mydrv_file){0};
}
