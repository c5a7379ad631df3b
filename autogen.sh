#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes ./configure from a fresh clone. A release archive has it already.
set -eu
cd "$(dirname "$0")"
for tool in autoreconf:autoconf automake:automake aclocal:automake pkg-config:pkg-config; do
	if ! command -v "${tool%%:*}" >/dev/null; then
		echo "autogen.sh: ${tool%%:*} is missing; install the package ${tool##*:}" >&2
		exit 1
	fi
done
exec autoreconf --install --force --warnings=all "$@"
