# One command for each thing one does here; `make help` lists them. Every
# target first installs what it lacks (tools/packages-*.txt).

JOBS ?= $(shell nproc)
# Seconds per fuzz target.
FUZZ_SECONDS ?= 60
# In `make test`: this many inputs per target, the same ones every time.
FUZZ_RUNS_SHORT ?= 2000
FUZZ_SECONDS_SHORT ?= 60
FUZZ_SECONDS_LONG ?= 300
# Peers that `make peers` installs; empty: all of them.
PEERS ?=
# Where `make bench` writes the networks it times.
BENCH_MODELS ?= .cache/bench-models

configure = cmake --preset $(1) $(2) > /dev/null
compile = cmake --build $(1) -j $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help setup setup-python build demo search test test-all check format peers torch \
  bench bench-kernels sanitize tsan clang neon neon-stint fuzz build-asan clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup:
	@tools/setup.sh debian

setup-python: setup
	@tools/setup.sh python

torch:  ## PyTorch for training/, CPU only
	@tools/setup.sh training

build: setup  ## the command line, build/stint
	@$(call configure,release)
	@$(call compile,build) --target programs semantic_search

demo: build  ## a model answers within budgets
	@tools/demo.sh

search: build  ## semantic search with a sentence model (fetches 80 MB)
	@tools/search.sh

test: setup  ## what a change must pass: sanitizers, short fuzzing, all tests
	@$(MAKE) --no-print-directory sanitize
	@tools/fuzz.sh $(FUZZ_SECONDS_SHORT) $(FUZZ_RUNS_SHORT)
	@$(call configure,release,-DSTINT_WERROR=ON)
	@$(call compile,build)
	@tools/run_tests.sh build -LE exhaustive

test-all: setup-python check  ## test, and TSan, Clang, NEON, every ISA cap, long fuzzing
	@$(MAKE) --no-print-directory tsan
	@$(MAKE) --no-print-directory clang
	@$(MAKE) --no-print-directory neon
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=$(FUZZ_SECONDS_LONG)
	@$(MAKE) --no-print-directory test
	@tools/run_tests.sh build

check: setup  ## format, layers, tidy
	@tools/check_format.sh
	@python3 tools/check_layers.py
	@$(call configure,clang)
	@tools/check_tidy.sh build-clang
	@echo "check: format, layers and tidy are fine"

format: setup  ## let clang-format rewrite what it would complain about
	@tools/check_format.sh --fix

sanitize: build-asan  ## unit tests under ASan and UBSan
	@tools/run_tests.sh build-asan -j $(JOBS) -L unit

tsan: setup  ## unit tests under TSan
	@$(call configure,tsan)
	@$(call compile,build-tsan) --target unit_tests
	@tools/run_tests.sh build-tsan -j $(JOBS) -L unit

clang: setup  ## everything compiled by Clang with -Werror, unit tests
	@$(call configure,clang)
	@$(call compile,build-clang)
	@tools/run_tests.sh build-clang -L unit

neon: setup  ## kernel tests for AArch64 under QEMU
	@tools/setup.sh aarch64
	@$(call configure,aarch64)
	@$(call compile,build-aarch64) --target unit_tests
	@tools/run_tests.sh build-aarch64 -j $(JOBS) -L unit

neon-stint: setup  ## the command line for AArch64, build-aarch64-stint/stint
	@tools/setup.sh aarch64 aarch64-libraries
	@$(call configure,aarch64-stint)
	@$(call compile,build-aarch64-stint) --target stint_cli

build-asan: setup
	@$(call configure,asan,-DSTINT_WERROR=ON)
	@$(call compile,build-asan) --target unit_tests fuzzers

fuzz: build-asan  ## every fuzz target for FUZZ_SECONDS
	@tools/fuzz.sh $(FUZZ_SECONDS)

peers: setup  ## the runtimes to compare with, into .venv-peers (8 GB)
	@tools/setup.sh peers $(PEERS)

bench: build setup-python  ## ratios to other runtimes against their limits; QUICK=1
	@tools/setup.sh peers onnxruntime openvino
	@.venv/bin/python -m bench.models --out $(BENCH_MODELS)
	@.venv/bin/python bench/table.py --models $(BENCH_MODELS) \
	  --minilm $$(tools/fetch_minilm.sh) $(if $(QUICK),--quick)

bench-kernels: setup  ## every benchmark program of a kernel family
	@$(call configure,release,-DSTINT_BUILD_BENCHES=ON)
	@$(call compile,build)
	@for program in build/*_bench; do \
	  [ ! -x $$program ] || $$program || exit 1; done

clean:  ## remove the build folders
	rm -rf build build-*
