/* SPDX-License-Identifier: MIT */
#include "cli/targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "db/db.h"

const struct opt_desc targets_options[] = {
    {.name = "targets",
     .type = OPT_STRING,
     .help = "directory of 'ioltp db start': spread the clients over all servers there; sets "
             "driver, addresses, user, password and database"},
    OPT_END,
};

/* What says where to connect to, as --targets does. */
static int check_others(const struct opt_set *set, const char *driver, struct err *err)
{
	static const char *const others[] = {"mysql-host", "mysql-port", "mysql-socket",
	                                     "pgsql-host", "pgsql-port", "pgsql-service"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (opt_given(set, others[i]))
			return err_usage(
			    err, "--targets: --%s was given too; leave one of them out", others[i]);
	}
	if (opt_given(set, "db-driver") && strcmp(opt_str(set, "db-driver"), driver) != 0)
		return err_usage(
		    err, "--db-driver=%s: the servers of --targets are for %s; leave it out",
		    opt_str(set, "db-driver"), driver);
	return 0;
}

static int check_alive(const struct db *db, struct err *err)
{
	for (unsigned i = 0; i < db->n; i++) {
		enum db_state state = db_state(db, i);

		if (state != DB_RUNNING)
			return err_run(err,
			               "--targets=%s: instance %u is %s; see 'ioltp db status "
			               "--dir=%s', or start it by 'ioltp db start --dir=%s'",
			               db->dir, db->instances[i].number, db_state_name(state),
			               db->dir, db->dir);
	}
	return 0;
}

static int assign(struct opt_set *set, const char *name, const char *value, struct err *err)
{
	return opt_given(set, name) ? 0 : opt_assign(set, name, value, err);
}

static int assign_list(struct opt_set *set, const char *name, struct strbuf *list, struct err *err)
{
	int rc = list->failed ? err_run(err, "--targets: out of memory")
	                      : opt_assign(set, name, strbuf_str(list), err);

	strbuf_fini(list);
	return rc;
}

static int apply_mysql(struct opt_set *set, const struct db *db, struct err *err)
{
	struct strbuf sockets = STRBUF_INIT;
	char password[PATH_MAX];
	int rc;

	for (unsigned i = 0; i < db->n; i++)
		strbuf_addf(&sockets, "%s%s", i != 0 ? "," : "", db->instances[i].socket);
	rc = assign_list(set, "mysql-socket", &sockets, err);
	db_password_path(db, password);
	if (rc == 0)
		rc = assign(set, "mysql-user", DB_USER, err);
	if (rc == 0)
		rc = assign(set, "mysql-db", DB_USER, err);
	if (rc == 0 && !opt_given(set, "mysql-password"))
		rc = assign(set, "mysql-password-file", password, err);
	return rc;
}

static int apply_pgsql(struct opt_set *set, const struct db *db, struct err *err)
{
	struct strbuf hosts = STRBUF_INIT, ports = STRBUF_INIT;
	char password[PATH_MAX];
	int rc, rc2;

	for (unsigned i = 0; i < db->n; i++) {
		const char *socket = db->instances[i].socket;

		/* libpq wants the folder of the socket and the port in its name. */
		strbuf_addf(&hosts, "%s%.*s", i != 0 ? "," : "",
		            (int)(strrchr(socket, '/') - socket), socket);
		strbuf_addf(&ports, "%s%u", i != 0 ? "," : "", db->instances[i].port);
	}
	rc = assign_list(set, "pgsql-host", &hosts, err);
	rc2 = assign_list(set, "pgsql-port", &ports, err);
	rc = rc != 0 ? rc : rc2;
	db_password_path(db, password);
	if (rc == 0)
		rc = assign(set, "pgsql-user", DB_USER, err);
	if (rc == 0)
		rc = assign(set, "pgsql-db", DB_USER, err);
	if (rc == 0 && !opt_given(set, "pgsql-password"))
		rc = assign(set, "pgsql-password-file", password, err);
	return rc;
}

static int apply(struct opt_set *set, const struct db *db, struct err *err)
{
	const bool postgres = strcmp(db_engine_name(db), "postgres") == 0;
	const char *driver = postgres ? "pgsql" : "mysql";
	int rc;

	if (opt_find(set, postgres ? "pgsql-host" : "mysql-socket") == NULL)
		return err_usage(err,
		                 "--targets: this build has no driver %s; build it with the "
		                 "client library",
		                 driver);
	rc = check_others(set, driver, err);
	if (rc == 0)
		rc = check_alive(db, err);
	if (rc == 0)
		rc = opt_assign(set, "db-driver", driver, err);
	if (rc != 0)
		return rc;
	return postgres ? apply_pgsql(set, db, err) : apply_mysql(set, db, err);
}

int targets_apply(struct opt_set *set, struct err *err)
{
	const char *dir = opt_str(set, "targets");
	struct db db;
	int rc;

	if (dir == NULL)
		return 0;
	rc = db_open(&db, dir, false, err);
	if (rc == 0)
		rc = apply(set, &db, err);
	db_fini(&db);
	return rc;
}

void targets_each(const struct opt_set *set, void (*fn)(void *ctx, const char *data_dir), void *ctx)
{
	const char *dir = opt_str(set, "targets");
	struct err err = ERR_INIT;
	char path[PATH_MAX];
	struct db db;

	if (dir == NULL)
		return;
	if (db_open(&db, dir, false, &err) == 0) {
		for (unsigned i = 0; i < db.n; i++) {
			db_data_path(&db, i, path);
			fn(ctx, path);
		}
	}
	db_fini(&db);
}
