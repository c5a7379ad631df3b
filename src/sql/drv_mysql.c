/* SPDX-License-Identifier: MIT */
/* The driver for MySQL and MariaDB: its table. Each hook is in the file of its topic. */
#include "sql/drv_mysql.h"

const struct driver_ops driver_mysql = {
    .name = "mysql",
    .title = "MySQL and MariaDB, by " MYDRV_LIBRARY,
    .caps = CAP_REMOTE | CAP_BULK | CAP_MULTI_RESULT | CAP_IDENTITY | CAP_PREPARE,
    .options = mydrv_options,
    .options_title = "MySQL driver options",
    .open = mydrv_open,
    .close = mydrv_close,
    .targets = mydrv_targets,
    .connect = mydrv_connect,
    .disconnect = mydrv_disconnect,
    .in_transaction = mydrv_in_transaction,
    .query = mydrv_query,
    .prepare = mydrv_prepare,
    .execute = mydrv_execute,
    .stmt_close = mydrv_stmt_close,
    .fetch = mydrv_fetch,
    .result_free = mydrv_result_free,
    .next_result = mydrv_next_result,
    .quote = mydrv_quote,
    .bulk_begin = mydrv_bulk_begin,
    .bulk_row = mydrv_bulk_row,
    .bulk_end = mydrv_bulk_end,
    .facts = mydrv_facts,
};
