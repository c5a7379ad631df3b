# SPDX-License-Identifier: MIT
#
# IOLTP_OPTIONAL(NAME, VAR, MODULE, DEBIAN-PACKAGE, USE)
# ------------------------------------------------------
# A library that may be missing: --with-NAME=auto|yes|no. Found: defines HAVE_VAR, substitutes VAR_CFLAGS and VAR_LIBS,
# and makes WITH_VAR true. Either way a line for the summary says what is in or why it is not.
AC_DEFUN([IOLTP_OPTIONAL], [
AC_ARG_WITH([$1],
	[AS_HELP_STRING([--with-$1=auto|yes|no], [$5 @<:@auto@:>@])],
	[], [AS_VAR_SET([with_$1], [auto])])
AS_VAR_COPY([ioltp_want], [with_$1])
ioltp_have=no
AS_CASE([$ioltp_want],
	[no], [ioltp_why="switched off by --with-$1=no"],
	[auto|yes], [PKG_CHECK_MODULES([$2], [$3],
		[ioltp_have=yes
		ioltp_why="version `$PKG_CONFIG --modversion "IOLTP_MODULE_NAME([$3])"`"],
		[ioltp_why="pkg-config does not find $3; install $4"])],
	[AC_MSG_ERROR([--with-$1=$ioltp_want: not a choice; use auto, yes or no])])
AS_IF([test "$ioltp_want,$ioltp_have" = yes,no],
	[AC_MSG_ERROR([--with-$1=yes: $ioltp_why, or leave the option out])])
AS_IF([test $ioltp_have = yes],
	[AC_DEFINE([HAVE_$2], [1], [Built with $1: $5])])
AM_CONDITIONAL([WITH_$2], [test $ioltp_have = yes])
IOLTP_SUMMARY([$1], [$5])
])

# The module's name without a version condition.
m4_define([IOLTP_MODULE_NAME], [m4_car(m4_unquote(m4_split([$1])))])

# IOLTP_SUMMARY(NAME, USE): a line of the summary from $ioltp_have and $ioltp_why.
AC_DEFUN([IOLTP_SUMMARY], [
ioltp_line=`printf '  %-12s %-4s %-46s %s' "$1" "$ioltp_have" "$2" "$ioltp_why"`
ioltp_summary="$ioltp_summary
$ioltp_line"
])

# IOLTP_MYSQL: the client library of MySQL, of which there are two. MariaDB's has non-blocking calls (HAVE_MARIADB).
AC_DEFUN([IOLTP_MYSQL], [
AC_ARG_WITH([mysql],
	[AS_HELP_STRING([--with-mysql=auto|mariadb|oracle|no],
		[MySQL and MariaDB driver, by either client library @<:@auto@:>@])],
	[], [with_mysql=auto])
AS_CASE([$with_mysql], [yes], [with_mysql=any])
ioltp_have=no
ioltp_kind=none
ioltp_why="switched off by --with-mysql=no"
AS_CASE([$with_mysql],
	[no], [],
	[auto|any|mariadb], [PKG_CHECK_MODULES([MYSQL], [libmariadb >= 3.1],
		[ioltp_have=yes ioltp_kind=mariadb
		ioltp_why="libmariadb `$PKG_CONFIG --modversion libmariadb`"],
		[ioltp_why="pkg-config does not find libmariadb; install libmariadb-dev"])],
	[oracle], [],
	[AC_MSG_ERROR([--with-mysql=$with_mysql: not a choice; use auto, mariadb, oracle or no])])
AS_CASE([$with_mysql,$ioltp_have],
	[auto,no|any,no|oracle,no], [PKG_CHECK_MODULES([MYSQL], [mysqlclient >= 8.0],
		[ioltp_have=yes ioltp_kind=oracle
		ioltp_why="mysqlclient `$PKG_CONFIG --modversion mysqlclient`"],
		[AS_IF([test $with_mysql = oracle],
			[ioltp_why="pkg-config does not find mysqlclient >= 8.0; install libmysqlclient-dev"],
			[ioltp_why="pkg-config finds neither libmariadb nor mysqlclient; install libmariadb-dev"])])])
AS_CASE([$with_mysql,$ioltp_have],
	[any,no|mariadb,no|oracle,no], [AC_MSG_ERROR([--with-mysql=$with_mysql: $ioltp_why, or leave the option out])])
AS_IF([test $ioltp_have = yes], [AC_DEFINE([HAVE_MYSQL], [1], [Built with a MySQL client library])])
AS_IF([test $ioltp_kind = mariadb],
	[AC_DEFINE([HAVE_MARIADB], [1], [The MySQL client library is MariaDB's, which has non-blocking calls])])
AM_CONDITIONAL([WITH_MYSQL], [test $ioltp_have = yes])
AM_CONDITIONAL([WITH_MARIADB], [test $ioltp_kind = mariadb])
IOLTP_SUMMARY([mysql], [MySQL and MariaDB driver])
])
