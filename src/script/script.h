/* SPDX-License-Identifier: MIT */
/*
 * script: Lua workloads. A script is loaded once per state: the main state (options, init,
 * commands), one per thread, and one for the report hooks. How a state is made is in state.c, what
 * Lua sees is in lua/ioltp/ and the ffi_ files, and the measured loop is lua/ioltp/loop.lua.
 */
#ifndef IOLTP_SCRIPT_SCRIPT_H
#define IOLTP_SCRIPT_SCRIPT_H

#include <stdbool.h>

#include "base/dist.h"
#include "base/err.h"
#include "base/opt.h"
#include "run/mix.h"
#include "run/run.h"
#include "sql/driver.h"

#define SCRIPT_SOURCES_MAX 16u
/* Ranges of sb_rand_uniq that are counted apart; more share the last counter. */
#define SCRIPT_UNIQUE_RANGES 16u

/* One workload file. */
struct script_source {
	char *name; /* as the user wrote it */
	char *path; /* file, or "stdin" */
	char *text; /* whole file */
	size_t len;
	double weight; /* --mix */
};

struct script {
	struct script_source sources[SCRIPT_SOURCES_MAX];
	unsigned nsources;
	const char *command;  /* NULL: none */
	const char *data_dir; /* holds the folder ioltp and the bundled workloads */
	int argc;             /* sysbench.cmdline.argv */
	char *const *argv;
	struct opt_set *options;
	bool accepts_any; /* no source declares options: any --x=y is a global (1.0 scripts) */
	bool has_event;
	char **extra; /* "--x=y" that a script which accepts any option gets; owned */
	unsigned nextra;
	struct dist_params dist;
	struct mix mix; /* types, sealed by script_open */
	const struct clock *clock;
	const struct log *log;
	uint64_t seed;
	unsigned threads;
	uint64_t
	    busy_conns; /* (atomic) connections made: none means that the script uses no database */
	const volatile sig_atomic_t *signal;
	struct chunks *chunks;  /* what the states have compiled */
	struct script_env *env; /* drivers opened so far, shared by the states */
	bool one_target;        /* connections go to target number `target` and are not spread */
	unsigned target;
	struct script_vm *vms; /* what the workers share; NULL: each has a state of its own */
	unsigned nvms;
	struct script_state *main;
	struct script_state *report; /* made when hooks are there */
	bool hook_intermediate, hook_cumulative;
	struct {
		uint64_t below, drawn; /* (atomic) below 0: free */
	} unique[SCRIPT_UNIQUE_RANGES];
	uint64_t hash; /* (atomic) of all freed connections: --db-hash */
};

extern const struct opt_desc script_options[];

/* Where the bundled Lua files are: $IOLTP_DATADIR, the source tree when run from the build tree,
 * else the installed place. 0 or -errno with `err`. Caller frees *dir. */
int script_data_dir(char **dir, struct err *err);

/* Which LuaJIT runs the scripts, as it names itself: "LuaJIT 2.1.0". */
const char *script_luajit_version(void);

/* Reads one workload (a path, a bundled name, a module on LUA_PATH, "-" is stdin) into s->sources.
 * 0, or -errno with `err`. */
int script_add(struct script *s, const char *name, double weight, struct err *err);
/* Runs all bodies in a new main state, which declares the options (opt_set_declare). 0, or -errno
 * with `err`. */
int script_load(struct script *s, struct err *err);
/* After all options are parsed: fills the mix, `dist`, `seed`, `threads`, and sysbench.opt of the
 * main state. 0, or -errno with `err`. */
int script_open(struct script *s, const struct run_config *config, struct err *err);
void script_close(struct script *s);

/* True when the command is one that this script has ("run" included). */
bool script_has_command(struct script *s, const char *command);
/* "prepare", "cleanup", custom: serial in the main state or by all threads. 0, or -errno with
 * `err`. */
int script_command(struct script *s, const char *command, struct err *err);
/* Options that the script declared, for its "help" command; calls the script's help() if there is
 * one. */
int script_help(struct script *s, FILE *out, struct err *err);

/* init() and done() of the main state. */
int script_init(struct script *s, struct err *err);
int script_done(struct script *s, struct err *err);

/* The work of a run: ctx is the script. */
extern const struct run_ops script_run_ops;

/* Calls the script's report hook. True when the script has one (and so no default report is
 * wanted). A failing hook: `err`. */
bool script_report(struct script *s, const struct run_figures *f, const struct run_config *config,
                   bool cumulative, struct err *err);

/* After the last interval: closes what interval hooks have printed. */
void script_reports_end(struct script *s);

/* The driver that the script uses or would use: name in *name (real), connects once for facts.
 * False: none was opened. */
bool script_facts(struct script *s, const char **driver, struct kv *facts, bool *durable);
/* Hash over all connections, of statements made; 0 unless --db-hash. */
uint64_t script_hash(const struct script *s);
/* How many servers the connections of a run are spread over, 1 or more; `name` (may be NULL) gets
 * that of number i. */
unsigned script_targets(struct script *s, unsigned i, struct strbuf *name);

#endif
