/* SPDX-License-Identifier: MIT */
/* con: private to script/. */
#ifndef IOLTP_SCRIPT_CON_H
#define IOLTP_SCRIPT_CON_H

#include "script/state.h"

/* After an ignorable error: rolls back what is open, connects again what was lost. False: the run
 * ends first. */
bool con_recover(struct client *c);

#endif
