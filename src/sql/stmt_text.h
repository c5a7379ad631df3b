/* SPDX-License-Identifier: MIT */
/*
 * stmt_text: reading statement text without understanding it: quotes ('..' "..", `..`,
 * $tag$..$tag$), comments
 * (--, #, nested block comments for PostgreSQL) and words.
 */
#ifndef IOLTP_SQL_STMT_TEXT_H
#define IOLTP_SQL_STMT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "sql/sql_types.h"

enum sql_dialect { DIALECT_SQLITE, DIALECT_MYSQL, DIALECT_PGSQL };

/*
 * Class by the first keyword: SELECT, VALUES, TABLE, SHOW, WITH ... SELECT are reads; INSERT,
 * UPDATE, DELETE, REPLACE, MERGE, WITH ... INSERT etc., COPY, LOAD are writes; all else is other.
 * Leading comments and parentheses are skipped.
 */
enum sql_class stmt_class(const char *text, size_t len);
/* Of the class "other" by its words, and yet it may read or write: CALL, EXECUTE. */
bool stmt_is_opaque(const char *text, size_t len);

/* What a statement does to the transaction it stands in. */
enum stmt_txn { STMT_PLAIN, STMT_BEGIN, STMT_COMMIT, STMT_ROLLBACK };
enum stmt_txn stmt_txn(const char *text, size_t len);

/*
 * Would a text change data for good, so that nobody knows whether it did when its answer is lost?
 * That is a COMMIT, and outside of a transaction everything but reads and settings. `in_txn`: a
 * transaction is open before it; looks at all statements of the text.
 */
bool stmt_lasts(const char *text, size_t len, enum sql_dialect dialect, bool in_txn);

/* Number of '?' marks outside quotes and comments. */
unsigned stmt_count_marks(const char *text, size_t len, enum sql_dialect dialect);

/* Copies the text, calling mark(ctx, index, out) in place of each '?' (index from 0). */
void stmt_replace_marks(const char *text, size_t len, enum sql_dialect dialect,
                        void (*mark)(void *ctx, unsigned index, struct strbuf *out), void *ctx,
                        struct strbuf *out);

/*
 * The text with its literals (numbers, strings) as '?', runs of blanks as one, comments dropped,
 * lists of marks "(?, ?, ?)" folded to "(...)", further rows of VALUES dropped, cut to room-1
 * bytes. A number at the end of a table name (behind FROM, INTO, UPDATE, JOIN, TABLE) becomes #, so
 * that the many equal tables of a workload share a label; other identifiers stay. Two texts that
 * differ only in these give the same. Fast (about 2 ns a byte): used per query. Reads at most 2048
 * bytes of the text. Returns the length.
 */
size_t stmt_normalize(const char *text, size_t len, char *out, size_t room);

#endif
