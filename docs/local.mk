# SPDX-License-Identifier: MIT
dist_doc_DATA = \
	CHANGELOG.md \
	README.md \
	docs/architecture.md \
	docs/capture.md \
	docs/compare.md \
	docs/compare.schema.json \
	docs/devices.md \
	docs/instances.md \
	docs/lua-api.md \
	docs/measuring.md \
	docs/profiles.md \
	docs/raw.md \
	docs/result-schema.md \
	docs/result.schema.json \
	docs/steady-state.md \
	docs/twin.md \
	docs/twin.schema.json
EXTRA_DIST += docs/ioltp.1.in
nodist_man_MANS = docs/ioltp.1
CLEANFILES += docs/ioltp.1 docs/ioltp.1.options

# The options come from the program's own tables, so that the page cannot tell another story. A cross-built program does
# not run here: the page then points to --help.
docs/ioltp.1: docs/ioltp.1.in ioltp$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D)
if CROSS_COMPILING
	$(AM_V_at)echo 'Run "ioltp --help" for all options.' >$@.options
else
	$(AM_V_at)./ioltp$(EXEEXT) --help-man >$@.options
endif
	$(AM_V_at)$(SED) -e '/^@OPTIONS@$$/{' -e 'r $@.options' -e 'd' -e '}' -e 's/@VERSION@/$(VERSION)/g' \
		$(srcdir)/docs/ioltp.1.in >$@.tmp
	$(AM_V_at)rm -f $@.options && mv $@.tmp $@
