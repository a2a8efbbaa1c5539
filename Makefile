# ctx - coreutils for LLM context.  GNU make; no configure step.
#
#   make                  libctx and the commands, in build/release
#   make demo             prune the sample conversation, before and after
#   make check            every test
#   make check-long       the properties over 10,000 conversations
#   make SAN=address,undefined check    the same in a build tree of its own
#   make SAN=thread check-threads         -j under ThreadSanitizer
#   make check-fault      faults caused on purpose: kills, full disks, each
#                         call and allocation (FAULT=all: a gigabyte, too)
#   make bench            speed, against cat, jq and other token counters
#   make lint             structure, names, format, scripts and man pages
#   make check-system     packages, completions, recipes: needs more packages
#   make fuzz fuzz-afl    the library by libFuzzer, the commands by AFL++
#   make fuzz-corpus      what fuzzing has found to tests/fuzz/corpus
#   make analyze          gcc -fanalyzer, clang-tidy and cppcheck
#   make coverage         what the tests reach of lib/ and cmd/: gcovr
#   make check-ports      builds of 32 bits and of big-endian order, tested
#   make install          to DESTDIR and PREFIX (/usr/local); make uninstall
#   make html             the man pages, to be read in a browser
#   make dist deb         source archive; Debian packages
#   make dist-static      archive of commands that need no library (musl)
#   make format           clang-format over the sources

VERSION := $(shell sed -n 's/^.define CTX_VERSION "\(.*\)"/\1/p' lib/ctx.h)
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# Directory where the library searches the vocabularies if there is no share/ctx
# beside or above its own file
DATADIR ?= $(PREFIX)/share/ctx
# VOCAB=builtin: the vocabularies are part of the library, not files.
VOCAB ?= files
SAN ?=
comma := ,
TREE ?= $(if $(SAN),$(subst $(comma),-,$(SAN)),release)$(patsubst %,-%,$(VOCAB:files=))
B := build/$(TREE)

# The tables of the encodings, in the order of enum ctx_table; they are joined
# into one file.  The library finds it in share/ctx beside the commands.
VOCABS := p50k_base cl100k_base o200k_base mistral
PIECES := claude-3 claude-4.7
ENCODINGS := $(B)/share/ctx/encodings

# Debug information is a seventh of the compiler's time; CFLAGS='-O2 -g' adds it.
CFLAGS ?= -O2
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion \
	-Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla -Werror
# Flags that not every compiler has: those that this one takes are listed in
# the build tree, once.  Most compilers take all, so all are tried first.
TRY_WARN := -Wformat=2 -Wimplicit-fallthrough -Wtrampolines -Wbidi-chars=any
TRY_HARDEN := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong \
	-fstack-clash-protection -fcf-protection=full \
	-fno-delete-null-pointer-checks -fno-strict-overflow \
	-fno-strict-aliasing -fstrict-flex-arrays=3 \
	-ftrivial-auto-var-init=zero -fzero-init-padding-bits=all
TRY_LINK := -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed \
	-Wl,--no-copy-dt-needed-entries
# A command is nothing to be loaded by a program.
TRY_COMMAND := -pie -Wl,-z,nodlopen
# A command that only calls a library has too little code to map pages of their
# own for it.
TRY_SMALL := -Wl,-z,noseparate-code
# So that a static program need not have all of the library: --gc-sections.
TRY_SECTIONS := -ffunction-sections -fdata-sections
# Of machines of 32 bits: files of more than 2 GiB, times after 2038.
TRY_NARROW := -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
PACKAGES := jansson libpcre2-8 libmd
PKG_CONFIG ?= pkg-config
DEP_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
DEP_LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null) -lm

.DEFAULT_GOAL := all
-include $(B)/flags.mk
$(B)/flags.mk: Makefile
	@mkdir -p $(@D)
	@takes() { echo 'int main(void) { return 0; }' | \
	  $(CC) $$step -O2 -Werror "$$@" -x c - -o $@.probe 2>/dev/null; }; \
	try() { printf '%s :=' "$$1"; step=$$2; shift 2; \
	  if takes "$$@"; then printf ' %s' "$$@"; \
	  else for flag in "$$@"; do \
	    if takes "$$flag"; then printf ' %s' "$$flag"; fi; done; fi; \
	  echo; }; \
	printf '\043if __LONG_MAX__ >> 31 > 0\n\043error wide\n\043endif\n' | \
	  $(CC) -E -x c - > /dev/null 2>&1 && narrow='$(TRY_NARROW)' || \
	  narrow=; \
	printf '\043include <stdio.h>\n\043if !__GLIBC__ || __UCLIBC__\n\043error other\n\043endif\n' | \
	  $(CC) -E -x c - > /dev/null 2>&1 && glibc=yes || glibc=; \
	{ try MORE_WARN -c $(TRY_WARN); try HARDEN -c $(TRY_HARDEN); \
	  try SECTIONS -c $(TRY_SECTIONS); \
	  try NARROW -c $$narrow; echo "GLIBC := $$glibc"; \
	  try HARDEN_LINK '' $(TRY_LINK); \
	  try HARDEN_COMMAND '' $(TRY_COMMAND); \
	  try SMALL_COMMAND '' $(TRY_SMALL); } > $@.new; \
	rm -f $@.probe; mv $@.new $@

CPPFLAGS_ALL := -D_POSIX_C_SOURCE=200809L -Ilib -Icmd -I$(B)/gen $(NARROW) \
	$(DEP_CFLAGS) $(CPPFLAGS)
CFLAGS_ALL := -std=c11 -pthread -fPIC -fvisibility=hidden $(WARN) $(CFLAGS) \
	$(if $(SAN),-g -fsanitize=$(SAN) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer,$(HARDEN)) $(MORE_WARN)
LDFLAGS_ALL := -pthread $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN),$(HARDEN_LINK))
COMMAND_LINK := $(if $(SAN)$(findstring -static,$(LDFLAGS)),,$(HARDEN_COMMAND))

OPEN_TABLES := $(if $(VOCAB:builtin=),map_tables data_directory,builtin_tables)
LIB_SRC := $(filter-out lib/gen/% \
	$(patsubst %,lib/tokenizer/vocabulary/%.c,$(filter-out $(OPEN_TABLES),\
	map_tables data_directory builtin_tables)),\
	$(sort $(shell find lib -name '*.c')))
CMD_SRC := $(wildcard cmd/ctx-*.c)
CMD_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out $(CMD_SRC) cmd/ctx.c cmd/start.c,\
	$(sort $(shell find cmd -name '*.c'))))
MAINS := $(CMD_SRC:cmd/%.c=$(B)/mains/%.o)
# A linker replaces malloc in public_memory; in make coverage, everywhere.
UNIT_SRC := $(filter-out $(if $(filter Linux,$(shell uname)),\
	$(if $(COUNTED),%/public_memory.c),%/public_memory.c),\
	$(wildcard tests/unit/*.c))
TABLES := unicode nfc claude_chars
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(TABLES:%=$(B)/gen/make_%.o)
COMMANDS := $(CMD_SRC:cmd/%.c=$(B)/%)
# What a user can run: ctx, and what it runs
PROGRAMS := $(B)/ctx $(COMMANDS)
UNITS := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)
FUZZ_SRC := $(filter-out %/replay.c %/memory.c %/records.c %/short.c,\
	$(wildcard tests/fuzz/*.c))
FUZZERS := $(FUZZ_SRC:tests/fuzz/%.c=$(B)/tests/fuzz-%)
SHORT := $(B)/tests/short-check $(B)/tests/short-stream
GEN_SRC := $(wildcard tests/gen/*.c)
GEN := $(GEN_SRC:tests/gen/%.c=$(B)/gen-tools/%)

# Only the name of what is made; V=1 prints the commands.
ifeq ($(V),)
Q = @echo "  $(@:$(B)/%=%)";
endif

all: deps $(B)/libctx.a $(PROGRAMS)

# What counts tokens needs the file with the encodings when it runs.
$(COMMANDS) $(UNITS) $(FUZZERS) $(SHORT) $(B)/bench/tokens: \
  | $(if $(VOCAB:builtin=),$(ENCODINGS))

# What is counted by make coverage, and how, and what is linked to it.
COUNTED ?=
COUNTED_LINK ?=
$(COMMANDS) $(B)/ctx $(UNITS) $(FUZZERS) $(SHORT): \
  LDFLAGS_ALL += $(COUNTED_LINK)
$(LIB_OBJ) $(CMD_OBJ) $(CMD_SRC:%.c=$(B)/%.o): CFLAGS_ALL += $(COUNTED)
$(LIB_OBJ): CFLAGS_ALL += $(SECTIONS)

# Code in which commands spend little time (at -O2 they run at most 2 % fewer
# instructions): -O2 would only make the build longer.
COLD := cmd mains lib/api lib/cache lib/cost lib/eval lib/replay lib/store \
	lib/tokenizer/vocabulary lib/transcript lib/truncate
ifeq ($(origin CFLAGS),file)
$(filter $(COLD:%=$(B)/%/%),$(LIB_OBJ) $(CMD_OBJ) $(MAINS) \
  $(CMD_SRC:%.c=$(B)/%.o)): CFLAGS_ALL += -O1
endif

deps:
	@$(PKG_CONFIG) --exists $(PACKAGES) || { \
	  echo "ctx needs $(PACKAGES), found by pkg-config; install them with" \
	  "tests/setup, or by hand (Debian: apt-get install libjansson-dev" \
	  "libpcre2-dev libmd-dev pkg-config)" >&2; exit 1; }

$(B)/libctx.a: $(LIB_OBJ)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# With other flags everything is compiled anew.
$(B)/%.o: %.c $(B)/flags.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

# The vector code of lib/tokenizer is chosen at run time, so these files alone
# are compiled for machines that have it.  A compiler that packs neighbouring
# words of their bit algebra into vectors makes it slower by a third, and one
# that clears their blocks of masks before they are filled by a twentieth.
BACKENDS := portable avx2 avx512 neon
$(BACKENDS:%=$(B)/lib/tokenizer/simd/%.o): CFLAGS_ALL += -fno-tree-slp-vectorize \
	$(patsubst %=zero,%=uninitialized,$(filter -ftrivial%,$(HARDEN)))
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
$(B)/lib/tokenizer/simd/avx2.o: CFLAGS_ALL += -mavx2 -mbmi -mbmi2 -mpopcnt
$(B)/lib/tokenizer/simd/avx512.o: CFLAGS_ALL += -mavx2 -mbmi -mbmi2 -mpopcnt \
	-mavx512f -mavx512bw -mavx512dq -mavx512vl \
	-mavx512vbmi -mavx512vbmi2
endif

# Tables that host programs make (lib/gen) from lib/gen/data.  Vocabularies
# are packed in the byte order of the program that packs them: for machines
# of the other one HOSTCC is their compiler, and HOSTRUN what runs its
# programs here.
HOSTCC ?= cc
HOSTRUN ?=
HOST := $(HOSTCC) -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -Ilib
RANKS := lib/gen/data
PACKER := lib/gen/make_vocab.c lib/tokenizer/vocabulary/build.c \
	lib/tokenizer/vocabulary/fill_tables.c lib/tokenizer/encode/bpe.c \
	lib/tokenizer/encode/bpe_heap.c \
	lib/tokenizer/vocabulary/vocabulary.c lib/base/memory.c lib/base/error.c
PACKER_H := $(shell find lib -name "*.h")

$(B)/gen/make-%: lib/gen/make_%.c lib/gen/blocks.h lib/gen/input.h lib/tokenizer/unicode.h \
  lib/tokenizer/encode/nfc.h lib/tokenizer/claude/chars.h lib/ctx.h
	@mkdir -p $(@D)
	$(Q)$(HOST) -o $@ $<

$(B)/gen/make_unicode.c: $(B)/gen/make-unicode $(RANKS)/unicode16.tsv
$(B)/gen/make_nfc.c: $(B)/gen/make-nfc $(RANKS)/nfc9.tsv $(RANKS)/nfc15.tsv
$(B)/gen/make_claude_chars.c: $(B)/gen/make-claude_chars \
  $(RANKS)/claude_chars.tsv
$(TABLES:%=$(B)/gen/make_%.c):
	$(Q)$(HOSTRUN) $< $(filter %.tsv,$^) > $@.new && mv $@.new $@

$(TABLES:%=$(B)/gen/make_%.o): %.o: %.c
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# A line of the data becomes a row of the table.
$(B)/gen/grapheme.inc: $(RANKS)/grapheme16.tsv
	@mkdir -p $(@D)
	$(Q)awk '!/^#/ { print "{0x" $$1 ", 0x" $$2 ", " $$3 "}," }' $< > $@.new && \
	  mv $@.new $@

$(B)/lib/base/grapheme.o: $(B)/gen/grapheme.inc

# The heads of the data name the columns; prices become millionths.
$(B)/gen/models.inc: lib/gen/models.awk $(RANKS)/prices.tsv \
  $(RANKS)/models.tsv $(RANKS)/names.tsv
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@.new && mv $@.new $@

$(B)/lib/cost/models.o: $(B)/gen/models.inc

$(B)/gen/make-vocab: $(PACKER) $(B)/gen/make_unicode.c $(PACKER_H)
	$(Q)$(HOST) -o $@ $(PACKER) $(B)/gen/make_unicode.c

$(B)/gen/p50k_base.vocab: SCHEME := r50k
$(B)/gen/p50k_base.vocab: $(RANKS)/r50k_base.ranks $(RANKS)/p50k_extra.ranks
$(B)/gen/cl100k_base.vocab: SCHEME := cl100k
$(B)/gen/cl100k_base.vocab: $(RANKS)/cl100k_base.ranks
$(B)/gen/o200k_base.vocab: SCHEME := o200k
$(B)/gen/o200k_base.vocab: $(RANKS)/o200k_base.ranks
$(B)/gen/mistral.vocab: SCHEME := mistral
$(B)/gen/mistral.vocab: $(RANKS)/mistral.ranks
$(B)/gen/%.vocab: $(B)/gen/make-vocab
	$(Q)$(HOSTRUN) $< $(SCHEME) $(filter %.ranks,$^) > $@.new && mv $@.new $@

# The pieces of Claude's encodings as an automaton that finds them in a text.
$(B)/gen/make-pieces: lib/gen/make_pieces.c lib/gen/input.h \
  lib/tokenizer/claude/pieces.h
	@mkdir -p $(@D)
	$(Q)$(HOST) -o $@ $<
$(PIECES:%=$(B)/gen/%.automaton): $(B)/gen/%.automaton: $(B)/gen/make-pieces \
  $(RANKS)/%.pieces
	$(Q)$(HOSTRUN) $^ > $@.new && mv $@.new $@

$(B)/gen/make-tables: lib/gen/make_tables.c lib/gen/input.h \
  lib/tokenizer/vocabulary/tables.h
	@mkdir -p $(@D)
	$(Q)$(HOST) -o $@ $<
$(ENCODINGS): $(B)/gen/make-tables $(VOCABS:%=$(B)/gen/%.vocab) \
  $(PIECES:%=$(B)/gen/%.automaton)
	@mkdir -p $(@D)
	$(Q)$(HOSTRUN) $^ > $@.new && mv $@.new $@

$(B)/lib/tokenizer/vocabulary/builtin_tables.o: CPPFLAGS_ALL += \
	-DCTX_GEN='"$(dir $(ENCODINGS))"'
$(B)/lib/tokenizer/vocabulary/builtin_tables.o: $(ENCODINGS)

# Written anew if it changes, so that make install PREFIX=DIR changes it.
$(B)/gen/datadir.h: deps
	@mkdir -p $(@D)
	@echo '#define CTX_DATADIR "$(DATADIR)"' > $@.new; \
	  if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(B)/lib/tokenizer/vocabulary/data_directory.o: $(B)/gen/datadir.h

# The commands share one library of their own, which has their main functions
# and libctx; a command is a small program that calls its main function there.
# The library is for commands of its own version, hence the version in its name.
# Static builds and builds for tests of the code have no library: there a
# command contains what it needs.
COMMON := ctx-commands-$(VERSION)
PRIVATE := $(B)/lib$(COMMON).so
INSTALLED_PRIVATE := $(B)/installed/lib$(COMMON).so
# The directory where a command finds it.  glibc replaces $ORIGIN in the name
# of a needed library and opens that file.  With a run path it would first try
# nine subdirectories, which takes a twentieth of the time to start a command.
# Other C libraries, such as musl, replace $ORIGIN only in a run path.
COMMON_DIR = $$ORIGIN
COMMON_NAME = $(if $(GLIBC),'$(COMMON_DIR)/$(@F)',$(@F))
COMMON_RPATH = $(if $(GLIBC),,-Wl$(comma)-rpath$(comma)'$(COMMON_DIR)')
COMMON_LINK = $(COMMAND_LINK) $(SMALL_COMMAND) $(COMMON_RPATH)
SHARES := $(if $(SAN)$(COUNTED)$(findstring -static,$(LDFLAGS))$(findstring afl,$(CC)),,yes)
ifeq ($(SHARES),)
$(COMMANDS): $(B)/%: $(B)/cmd/%.o $(CMD_OBJ) $(B)/libctx.a
	$(Q)$(CC) $(LDFLAGS_ALL) $(COMMAND_LINK) -o $@ $(filter %.o,$^) \
	  $(filter %.a,$^) $(DEP_LIBS)
# It calls the main function of ctx-prune.
$(B)/ctx-eval: $(B)/mains/ctx-prune.o
else
$(B)/gen/commands.map: Makefile
	@mkdir -p $(@D)
	$(Q)echo '{ global: main_ctx_*; local: *; };' > $@
$(PRIVATE) $(INSTALLED_PRIVATE): $(MAINS) $(CMD_OBJ) $(LIB_OBJ) \
  $(B)/gen/commands.map
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -shared -Wl,-soname,$(COMMON_NAME) \
	  -Wl,--version-script=$(B)/gen/commands.map -o $@ $(filter %.o,$^) \
	  $(DEP_LIBS)
$(B)/mains/start-%.o: cmd/start.c $(B)/flags.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -DMAIN=main_$(subst -,_,$*) \
	  -c -o $@ $<
$(COMMANDS): $(B)/%: $(B)/mains/start-%.o $(PRIVATE)
	$(Q)$(CC) $(LDFLAGS_ALL) $(COMMON_LINK) -o $@ $< -L$(B) -l$(COMMON)
endif

# It only runs the others.
$(B)/ctx: $(B)/cmd/ctx.o $(B)/cmd/cli/similar.o $(if $(COUNTED),$(B)/libctx.a)
	$(Q)$(CC) $(LDFLAGS_ALL) $(COMMAND_LINK) -o $@ $^ \
	  $(if $(COUNTED),$(DEP_LIBS))

$(B)/tests/%: $(B)/tests/unit/%.o $(B)/libctx.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(DEP_LIBS)

$(B)/tests/public_memory: LDFLAGS_ALL += \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

# What makes and judges the conversations of the tests, without libctx; the
# parts of tests/gen/NAME.c lie in tests/gen/NAME/.
$(B)/gen-tools/convo: $(patsubst %.c,$(B)/%.o,$(wildcard tests/gen/convo/*.c))
$(B)/gen-tools/valid: $(patsubst %.c,$(B)/%.o,$(wildcard tests/gen/valid/*.c))
$(GEN): $(B)/gen-tools/%: $(B)/tests/gen/%.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ $(DEP_LIBS)

units: $(UNITS) $(GEN) $(if $(filter Linux,$(shell uname)),$(FUZZERS) $(SHORT))

# ASan and UBSan must not exit with 1, which a filter uses for "no".
check: all units
	@B=$(B) ASAN_OPTIONS=exitcode=99:detect_leaks=1 \
	  UBSAN_OPTIONS=exitcode=99:print_stacktrace=1 tests/run

# More than ten thousand made-up conversations for the formats of providers,
# and thousands in those of frameworks and agents.
check-long: all units
	@B=$(abspath $(B)) CHECK_LONG=1800 tests/property
	@B=$(abspath $(B)) CHECK_LONG=500 tests/validity
	@B=$(abspath $(B)) CHECK_LONG=10000 tests/bound

# What goes wrong on purpose: kills, full disks, and every call and every
# allocation that may fail.  FAULT=part leaves some to chance, SEED=N chooses
# others.
SWEEP_SRC := $(wildcard tests/fault/sweep/*.c)
PRELOAD := $(patsubst tests/fault/%.c,$(B)/fault/%.so,$(wildcard tests/fault/*.c))
$(B)/fault/sweep: $(patsubst %.c,$(B)/%.o,$(SWEEP_SRC))
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^

$(B)/fault/%.so: tests/fault/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(WARN) $(CFLAGS) -shared -fPIC -o $@ $< -ldl

check-fault: all units $(B)/fault/sweep $(PRELOAD) steps
	@B=$(B) STEPS_TREE=$(STEPS_TREE) tests/fault/all

# The commands, each of which counts its steps: tests/fault/steps/count_steps.c.
STEPS_TREE := build/steps
STEPS_WRAP := memcpy memmove memset memcmp memchr calloc strlen
steps:
	@mkdir -p $(STEPS_TREE)
	@rm -f $(COMMANDS:$(B)/%=$(STEPS_TREE)/%)
	@$(CC) -std=c11 $(WARN) -D_POSIX_C_SOURCE=200809L -O2 -c \
	  -o $(STEPS_TREE)/steps.o tests/fault/steps/count_steps.c
	@$(MAKE) --no-print-directory TREE=$(notdir $(STEPS_TREE)) HARDEN= \
	  CFLAGS=-O1 COUNTED="-w -fsanitize-coverage=trace-pc" \
	  COUNTED_LINK="$(STEPS_WRAP:%=-Wl,--wrap=%) $(STEPS_TREE)/steps.o" all

# The main job on the conversation that ships with ctx.
SAMPLE := tests/sample/agent.jsonl
demo: all
	@PATH="$(CURDIR)/$(B):$$PATH" tests/demo $(SAMPLE)

# What needs packages of its own: tests/setup check-system installs them; one
# after the other, for it installs ctx, too.
check-system: all units
	@B=$(B) JOBS=1 tests/run tests/system/*.bats tests/scale/run

# Counts of Claude's encodings against the package ctok: claude.py says what it
# needs.
check-claude: $(B)/ctx-count
	@PATH=$(abspath $(B)):$$PATH STRINGS=$(STRINGS) TEXTS=$(TEXTS) \
	  $(or $(PYTHON),python3.12) -B tests/system/claude.py $(CTOK)

# False alarms and misses of ctx-check on requests that public test suites have
# recorded.  RECORDED names clones of these suites; run.py says which.
check-recorded: $(B)/ctx-check
	@python3 tests/recorded/run.py --ctx-check $(B)/ctx-check --repair \
	  $(RECORDED)

# What static analysis says, but for what is known (tests/analyze/known).
analyze: all
	@B=$(B) tests/analyze/run

# What the tests reach, by gcov and gcovr, in a build tree of its own.
# The faults are those after which a program ends by itself, for gcov counts
# at the end.  Functions that are copied for each choice of a constant are
# counted once.
COVERAGE := $(abspath build/coverage)
COVERAGE_WRAP := syscall _exit ctx_buf_printf $(shell sed -n \
	-e 's/^WRAP.[^,]*, \([a-z0-9_]*\),.*/\1/p' \
	-e 's/^PASSES.\([a-z0-9_]*\),.*/\1/p' tests/coverage/sites.c)
COVERAGE_MAKE = $(MAKE) --no-print-directory TREE=coverage HARDEN= \
	CFLAGS="-O1 -g" COUNTED="-O0 --coverage -fprofile-update=atomic \
	-DALWAYS_INLINE=inline" \
	COUNTED_LINK="--coverage $(COVERAGE_WRAP:%=-Wl,--wrap=%) \
	$(COVERAGE)/ending.o $(COVERAGE)/sites.o"
coverage:
	@command -v gcovr > /dev/null || { \
	  echo "coverage needs gcovr (Debian: apt-get install gcovr)" >&2; exit 1; }
	@mkdir -p build/coverage
	@for part in ending sites; do $(CC) -std=c11 $(WARN) -O1 \
	  -fno-omit-frame-pointer -Ilib $(DEP_CFLAGS) -c \
	  -o build/coverage/$$part.o \
	  tests/coverage/$$part.c || exit; done
	@rm -f $(patsubst $(B)/%,build/coverage/%,$(COMMANDS) $(UNITS) $(FUZZERS) \
	  $(SHORT))
	@$(COVERAGE_MAKE) all units coverage-tools
	@find build/coverage -name '*.gcda' -delete
	@B=build/coverage tests/coverage/all; all=$$?; \
	B=build/coverage tests/coverage/run && exit $$all

coverage-tools: $(B)/fault/sweep $(PRELOAD)

# The tests on machines of 32 bits and of the other byte order; says which
# packages it wants.
check-ports:
	@tests/system/ports $(PORTS)

lint: all $(B)/man/libctx.3
	@B=$(B) tests/lint

# Back ends for other machines: AVX-512 emulated by SIMDe, NEON by qemu.
ARM_CC ?= aarch64-linux-gnu-gcc
ARM_RUN ?= qemu-aarch64
check-simd: $(B)/libctx.a $(ENCODINGS)
	@mkdir -p $(B)/simd
	$(CC) -O2 -w -D_POSIX_C_SOURCE=200809L -Ilib -Itests/unit \
	  -fno-strict-aliasing \
	  -DCTX_EMULATE_AVX512='"avx512_emulated.h"' -o $(B)/simd/avx512 \
	  tests/unit/backend.c lib/tokenizer/simd/avx512.c $(B)/libctx.a
	$(B)/simd/avx512
	$(ARM_CC) -O2 -static -D_POSIX_C_SOURCE=200809L -Ilib \
	  -DCTX_GEN='"$(dir $(ENCODINGS))"' -o $(B)/simd/neon tests/unit/backend.c \
	  lib/tokenizer/simd/neon.c lib/tokenizer/simd/portable.c lib/tokenizer/simd/backend.c \
	  lib/tokenizer/encode/pretokenize.c lib/tokenizer/encode/bpe.c lib/tokenizer/vocabulary/vocabulary.c \
	  lib/tokenizer/vocabulary/builtin_tables.c $(B)/gen/make_unicode.c lib/base/simd_level.c \
	  lib/tokenizer/encode/pretoken_cache.c lib/tokenizer/encode/bpe_heap.c lib/base/memory.c lib/base/error.c
	$(ARM_RUN) $(B)/simd/neon

# Figures of token counting; rivals are named in the script.
$(B)/bench/tokens: tests/bench/tokens.c $(B)/libctx.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(DEP_LIBS)

bench-tokens: $(B)/bench/tokens
	@B=$(B) tests/bench/tokens.sh $(ENCODING)

# ctx against others, which tests/bench/rivals fetches the first time; the
# figures also go to $(B)/bench.  bench-growth: 1x, 10x, 100x of the input,
# memory of a stream of ENDLESS GB, start-up.  bench-shapes: what odd streams
# cost as they grow.  bench-answers: which of them agree.
# bench-instructions: against tests/bench/baseline.
BENCH := PATH=$(abspath $(B)):$$PATH RIVALS=$(abspath $(B)/rivals) python3
SIZE ?= 100
RUNS ?= 5
ENDLESS ?= 10
$(B)/rivals:
	tests/bench/rivals $@

bench: all | $(B)/rivals
	@mkdir -p $(B)/bench
	@$(BENCH) tests/bench/run.py --size $(SIZE) --runs $(RUNS) \
	  --json $(B)/bench/bench.json

bench-growth: all
	@mkdir -p $(B)/bench
	@$(BENCH) tests/bench/run.py --growth --size $(SIZE) --runs $(RUNS) \
	  --json $(B)/bench/growth.json
	@$(BENCH) tests/bench/run.py --endless $(ENDLESS) \
	  --json $(B)/bench/endless.json
	@$(BENCH) tests/bench/run.py --start --runs $(RUNS) \
	  --json $(B)/bench/start.json

bench-shapes: all
	@$(BENCH) tests/bench/shapes.py $(SHAPES)

bench-answers: all | $(B)/rivals
	@$(BENCH) tests/bench/answers.py

bench-instructions: all
	@B=$(B) tests/bench/instructions

# make SAN=thread check-threads
check-threads: $(B)/ctx-count $(B)/ctx-prune $(B)/tests/thread_pool
	$(B)/tests/thread_pool
	B=$(abspath $(B)) PATH=$(abspath $(B)):$$PATH bats tests/jobs.bats

# Fuzz targets (tests/fuzz): with FUZZ_SECONDS each, all of them or those of
# FUZZ, by libFuzzer in a build tree of its own.  What they have found lies in
# build/fuzz/found, a finding next to it; fuzz-corpus takes into the corpus what
# of it reaches more.  In other build trees the same targets run their seeds
# and their corpus, as tests.
FUZZ ?= $(FUZZ_SRC:tests/fuzz/%.c=%)
FUZZ_SECONDS ?= 20
FUZZ_CC ?= clang
FUZZ_MAIN := $(if $(findstring fuzzer,$(SAN)),,$(B)/tests/fuzz/replay.o)
FUZZ_LINK := $(if $(findstring fuzzer,$(SAN)),-fsanitize=fuzzer) \
	-Wl,--wrap=read,--wrap=__read_chk,--wrap=write,--wrap=writev
$(FUZZERS): $(B)/tests/fuzz-%: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/memory.o \
  $(FUZZ_MAIN) $(B)/libctx.a
	$(Q)$(CC) $(LDFLAGS_ALL) $(FUZZ_LINK) -o $@ $(filter %.o,$^) \
	  $(B)/libctx.a $(DEP_LIBS)

# Those whose input is a stream also run over all short conversations of an
# alphabet, as tests: build/release/tests/short-NAME SAMPLES SEED for more.
$(SHORT): $(B)/tests/short-%: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/memory.o \
  $(B)/tests/fuzz/short.o $(B)/libctx.a
	$(Q)$(CC) $(LDFLAGS_ALL) $(FUZZ_LINK) -o $@ $(filter %.o,$^) \
	  $(B)/libctx.a $(DEP_LIBS)

# They have mutations of their own, too.
FUZZ_RECORDS := $(if $(findstring fuzzer,$(SAN)),$(B)/tests/fuzz/records.o)
$(B)/tests/fuzz-check $(B)/tests/fuzz-stream: $(FUZZ_RECORDS)

# The commands for programs that hold several of them: main of cmd/ctx-count.c
# is main_ctx_count there.
$(MAINS) $(B)/mains/ctx.o: $(B)/mains/%.o: cmd/%.c $(B)/flags.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fvisibility=default \
	  -Wno-missing-prototypes -Dmain=main_$(subst -,_,$*) -MMD -MP -c -o $@ $<
$(B)/tests/fuzz-options: $(MAINS) $(CMD_OBJ)
$(B)/tests/fuzz-options: FUZZ_LINK += -Wl,--wrap=exit,--wrap=cli_parse \
	-Wl,--wrap=cli_report_open,--wrap=cli_explain_open \
	-Wl,--wrap=cli_open,--wrap=cli_model_counters \
	-Wl,--wrap=cli_check_in_place \
	-Wl,--wrap=cli_sandbox,--wrap=cli_end,--wrap=fopen,--wrap=close

fuzz fuzz-corpus:
	@$(MAKE) --no-print-directory CC="$(FUZZ_CC)" TREE=fuzz \
	  SAN=fuzzer-no-link,address,undefined $(if $(@:fuzz=),fuzz-keep,fuzz-run)
fuzz-run fuzz-keep: $(FUZZ:%=$(B)/tests/fuzz-%)
	@set -e; for name in $(FUZZ); do FUZZ_SECONDS=$(FUZZ_SECONDS) B=$(B) \
	  tests/$(subst -,/,$@) $$name; done

# The commands themselves, by AFL++.
fuzz-afl:
	@AFL_QUIET=1 $(MAKE) --no-print-directory CC=afl-clang-fast TREE=afl \
	  HARDEN= HARDEN_LINK= all
	@B=build/afl FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/afl

format:
	clang-format -i $$(git ls-files '*.c' '*.h' | grep -v ^lib/gen/data/)

# The library for programs.  It exports what ctx.h declares and nothing else.  The
# commands use more of it and have a library of their own.
ABI := $(shell sed -n 's/^.define CTX_ABI *//p' lib/ctx.h)
SHARED := $(B)/libctx.so.$(ABI)
# Where the library of the commands is installed: a directory of its own,
# because no other program uses it.
PRIVATE_DIR := $(LIBDIR)/ctx
INSTALLED := $(CMD_SRC:cmd/%.c=$(B)/installed/%)
$(INSTALLED) $(INSTALLED_PRIVATE): COMMON_DIR = \
	$(patsubst $(PREFIX)/%,$$ORIGIN/../%,$(PRIVATE_DIR))

$(SHARED): $(B)/libctx.a
	$(Q)$(CC) $(LDFLAGS_ALL) -shared -Wl,-soname,$(@F) -o $@ \
	  $(filter $(B)/lib/api/%,$(LIB_OBJ)) $< $(DEP_LIBS)
	@ln -sf $(@F) $(B)/libctx.so

ifeq ($(SHARES),)
$(INSTALLED): $(B)/installed/%: $(B)/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
else
# Made anew each time: they say where.
$(INSTALLED_PRIVATE): deps
$(INSTALLED): $(B)/installed/%: $(B)/mains/start-%.o $(INSTALLED_PRIVATE)
	$(Q)$(CC) $(LDFLAGS_ALL) $(COMMON_LINK) -o $@ $< -L$(@D) -l$(COMMON)
endif

# Made anew each time: it says where.
$(B)/libctx.pc: deps
	$(Q)printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' \
	  'includedir=$${prefix}/include' '' 'Name: libctx' \
	  'Description: count, prune and check streams of model conversations' \
	  'Version: $(VERSION)' 'Requires.private: $(PACKAGES)' \
	  'Libs: -L$${libdir} -lctx' 'Libs.private: -lm -pthread' \
	  'Cflags: -I$${includedir}' > $@

D := $(DESTDIR)$(PREFIX)
MAN := $(sort $(wildcard man/*.[0-9]))
# Scripts and settings that the manual refers to.
EXAMPLES := $(sort $(wildcard man/examples/*))
EXAMPLES_DIR := $(D)/share/doc/ctx/examples
NAMES := $(notdir $(PROGRAMS))
# man(1) shows libctx.3 for each function.
LIST_FUNCTIONS := sed -n 's/^CTX_API .*[ *]\(ctx_[a-z0-9_]*\)(.*/\1/p'
FUNCTIONS = $(shell $(LIST_FUNCTIONS) lib/ctx.h)
install: all install-data $(INSTALLED) $(SHARED) $(B)/libctx.pc \
  $(B)/man/libctx.3
	install -d $(D)/bin $(D)/include $(DESTDIR)$(LIBDIR)/pkgconfig \
	  $(D)/share/man/man3
	install -m 755 $(INSTALLED) $(B)/ctx $(D)/bin
	install -m 644 $(B)/man/libctx.3 $(D)/share/man/man3
	set -e; for name in $(FUNCTIONS); do \
	  echo '.so man3/libctx.3' > $(D)/share/man/man3/$$name.3; done
	install -m 644 lib/ctx.h $(D)/include
	install -m 644 $(B)/libctx.a $(SHARED) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(SHARED)) $(DESTDIR)$(LIBDIR)/libctx.so
	install -m 644 $(B)/libctx.pc $(DESTDIR)$(LIBDIR)/pkgconfig
ifneq ($(SHARES),)
	install -d $(DESTDIR)$(PRIVATE_DIR)
	install -m 644 $(INSTALLED_PRIVATE) $(DESTDIR)$(PRIVATE_DIR)
endif
ifneq ($(VOCAB),builtin)
	install -d $(DESTDIR)$(DATADIR)
	install -m 644 $(ENCODINGS) $(DESTDIR)$(DATADIR)
endif
ifeq ($(DESTDIR),)
	@case ":$$PATH:" in \
	*':$(PREFIX)/bin:'*) try=Try ;; \
	*) try='Add $(PREFIX)/bin to PATH, then try' ;; \
	esac; echo "Installed in $(PREFIX). $$try: ctx help"
endif

# Manual pages, examples and completions of the commands
install-data:
	install -d $(D)/share/bash-completion/completions \
	  $(D)/share/zsh/site-functions $(D)/share/fish/vendor_completions.d \
	  $(EXAMPLES_DIR) \
	  $(foreach n,$(sort $(subst .,,$(suffix $(MAN)))),$(D)/share/man/man$(n))
	set -e; for page in $(MAN); do \
	  install -m 644 $$page $(D)/share/man/man$${page##*.}; done
	set -e; for file in $(EXAMPLES); do mode=644; \
	  [ ! -x $$file ] || mode=755; \
	  install -m $$mode $$file $(EXAMPLES_DIR); done
	install -m 644 completions/_ctx $(D)/share/zsh/site-functions
	set -e; for name in $(NAMES); do \
	  install -m 644 completions/ctx.bash \
	    $(D)/share/bash-completion/completions/$$name; \
	  install -m 644 completions/ctx.fish \
	    $(D)/share/fish/vendor_completions.d/$$name.fish; done

uninstall:
	rm -f $(NAMES:%=$(D)/bin/%) $(D)/include/ctx.h \
	  $(DESTDIR)$(LIBDIR)/libctx.a $(DESTDIR)$(LIBDIR)/libctx.so* \
	  $(DESTDIR)$(LIBDIR)/pkgconfig/libctx.pc \
	  $(patsubst %,$(D)/share/man/man3/%.3,libctx $(FUNCTIONS)) \
	  $(foreach page,$(notdir $(MAN)),\
	    $(D)/share/man/man$(subst .,,$(suffix $(page)))/$(page)) \
	  $(NAMES:%=$(D)/share/bash-completion/completions/%) \
	  $(D)/share/zsh/site-functions/_ctx \
	  $(NAMES:%=$(D)/share/fish/vendor_completions.d/%.fish) \
	  $(EXAMPLES:man/examples/%=$(EXAMPLES_DIR)/%) \
	  $(DESTDIR)$(DATADIR)/encodings \
	  $(DESTDIR)$(PRIVATE_DIR)/$(notdir $(PRIVATE))
	set -e; for directory in $(EXAMPLES_DIR) $(DESTDIR)$(DATADIR) \
	  $(DESTDIR)$(PRIVATE_DIR); do \
	  [ ! -d $$directory ] || rmdir $$directory; done

# The manual of the library: its header, and programs as examples.
$(B)/man/libctx.3: lib/gen/manual.awk lib/ctx.h \
  $(sort $(wildcard tests/system/programs/*))
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@.new && mv $@.new $@

html: $(B)/man/libctx.3
	@mkdir -p $(B)/html
	@set -e; for page in $(MAN) $<; do \
	  mandoc -T html -O man=%N.%S.html $$page \
	    > $(B)/html/$${page##*/}.html; done

# Debian packages, in build/deb.
deb:
	@B=$(B) VERSION=$(VERSION) tests/system/deb

DIST := ctx-$(VERSION)
dist:
	@mkdir -p build
	git archive --prefix=$(DIST)/ -o build/$(DIST).tar.gz HEAD

# All commands as one program, so that the vocabularies are in it once.  The
# name by which it is called says which command it is.
$(B)/mains/main.c: Makefile $(CMD_SRC)
	@mkdir -p $(@D)
	$(Q){ echo '#include <string.h>'; \
	  for name in $(subst -,_,$(NAMES)); do \
	    echo "int main_$$name(int, char **);"; done; \
	  echo 'int main(int argc, char **argv) {'; \
	  echo "const char *name = argc > 0 ? argv[0] : \"\";"; \
	  echo "if (strrchr(name, '/')) name = strrchr(name, '/') + 1;"; \
	  for name in $(MAINS:$(B)/mains/%.o=%); do \
	    echo "if (strcmp(name, \"$$name\") == 0)" \
	      "return main_$$name(argc, argv);" | sed 's/main_ctx-/main_ctx_/'; \
	  done; \
	  echo 'return main_ctx(argc, argv); }'; } > $@.new && mv $@.new $@
$(B)/one/ctx: $(B)/mains/main.o $(MAINS) $(B)/mains/ctx.o $(CMD_OBJ) $(B)/libctx.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) $(COMMAND_LINK) -o $@ $^ $(DEP_LIBS)
$(B)/mains/main.o: $(B)/mains/main.c
	$(Q)$(CC) $(CFLAGS_ALL) -c -o $@ $<

# The archive has one directory, with bin and share, to be copied below a
# prefix.  The licences are those of the libraries that the program contains.
STATIC = $(DIST)-$(shell uname -m)-static
dist-static:
	tests/system/musl build/musl/one/ctx
	rm -rf build/$(STATIC)
	mkdir -p build/$(STATIC)/bin
	$(MAKE) --no-print-directory install-data \
	  DESTDIR=$(CURDIR)/build/$(STATIC) PREFIX=
	cp LICENSE README.md build/$(STATIC)
	cp -R build/musl-deps/licenses build/$(STATIC)
	cp $(RANKS)/LICENSE build/$(STATIC)/licenses/data
	strip -o build/$(STATIC)/bin/ctx build/musl/one/ctx
	set -e; for name in $(notdir $(COMMANDS)); do \
	  ln -s ctx build/$(STATIC)/bin/$$name; done
	tar -C build -czf build/$(STATIC).tar.gz $(STATIC)

clean:
	rm -rf build

.PHONY: all deps units check check-long check-fault check-system demo lint \
	format install install-data uninstall html dist dist-static deb clean
.PHONY: bench bench-growth bench-shapes bench-answers bench-instructions
.PHONY: bench-tokens fuzz fuzz-run fuzz-corpus fuzz-keep fuzz-afl
.PHONY: check-claude check-recorded check-simd check-threads check-ports coverage coverage-tools analyze
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
