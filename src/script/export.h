/* SPDX-License-Identifier: MIT */
/* export: functions that LuaJIT finds in the program by name; all else is hidden. Include instead
 * of ffi_api.h where they are defined. */
#ifndef IOLTP_SCRIPT_EXPORT_H
#define IOLTP_SCRIPT_EXPORT_H

#pragma GCC visibility push(default)
#include "script/ffi_api.h"
#pragma GCC visibility pop

#endif
