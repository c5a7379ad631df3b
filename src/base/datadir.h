/* SPDX-License-Identifier: MIT */
/* datadir: where the files are that come with the program. */
#ifndef IOLTP_BASE_DATADIR_H
#define IOLTP_BASE_DATADIR_H

#include "base/err.h"

/*
 * The folder `part` ("lua", "scenarios"): of the source tree when the program runs from the build
 * tree, else the installed one. $IOLTP_DATADIR goes before both: it is the folder of Lua files
 * itself, and other parts are folders in it where it has them. 0; -EINVAL with `err` when there is
 * none; -ENOMEM. The caller frees *dir.
 */
int data_dir(char **dir, const char *part, struct err *err);

#endif
