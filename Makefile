# The project's commands; `make help` lists them. Each first makes sure that the packages it needs are
# installed (scripts/setup). The building itself is CMake's, by the presets in CMakePresets.json.

PREFIX ?= /usr/local
# Seconds for each libFuzzer target, and programs for `psic fuzz`, in `make fuzz`.
FUZZ_SECONDS ?= 600
FUZZ_COUNT ?= 10000
# Programs of each sort in `make soak`.
SOAK_COUNT ?= 100000

JOBS := $(shell nproc)

.DEFAULT_GOAL := build
.PHONY: build run test bench fuzz soak corpus corpus-test corpus-bench explorer playground format update install package clean help setup

# Without tests and benchmarks, which need more packages.
build: ## build the tools: build/release/bin/psic and psicc
	@scripts/setup build
	@cmake --preset release -D PSI_BUILD_TESTS=OFF -D PSI_BUILD_BENCHMARKS=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target psic psi

run: build ## build, then show what psic does on the bundled examples
	@scripts/demo build/release/bin/psic

test: setup ## build and run all tests, with g++ and with clang's sanitizers
	@scripts/test release
	@scripts/test asan-ubsan

bench: setup ## build and run all benchmarks
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target psic benchmarks
	@scripts/bench build/release

fuzz: setup ## fuzz for FUZZ_SECONDS (600) with each libFuzzer target, then `psic fuzz` on FUZZ_COUNT programs
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@scripts/fuzz build/fuzz $(FUZZ_SECONDS) $(FUZZ_COUNT)

soak: setup ## predicate engines on SOAK_COUNT random programs of each sort, against the truth
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target predicate_soak
	@build/release/tests/soak/predicate_soak --count=$(SOAK_COUNT)

corpus: ## obtain real C programs (tarballs may lie in CACHE) and compile them to bitcode: build/corpus
	@scripts/setup develop libgmp-dev zlib1g-dev
	@scripts/corpus $(if $(CACHE),--cache $(CACHE))

corpus-test: corpus ## the corpus through psic: compare phis with LLVM's, and programs with what they do without
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@scripts/corpus check
	@scripts/corpus test $(if $(CACHE),--cache $(CACHE))
	@scripts/corpus psicc $(if $(CACHE),--cache $(CACHE))
	@scripts/corpus psicc-suites $(if $(CACHE),--cache $(CACHE))

corpus-bench: corpus ## benchmark psic on the corpus
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target psic benchmarks
	@scripts/corpus bench

format: setup ## format all C++ and TypeScript sources
	@find include src tools tests fuzz bench examples explorer/src explorer/test explorer/wasm explorer/*.mjs \
	  \( -name '*.h' -o -name '*.cpp' -o -name '*.ts' -o -name '*.mjs' \) ! -name '*.d.ts' -print0 \
	  | xargs -0 clang-format-19 -i

update: build ## rewrite the expected output in golden tests and documentation, and editors/
	@scripts/update_golden --psic build/release/bin/psic
	@python3 tests/documentation.py --psic build/release/bin/psic --scratch build/documentation --update
	@scripts/editors

explorer: setup ## build the page of `psic explore` from its sources: explorer/dist
	@cd explorer && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build

playground: setup ## build psic as WebAssembly, and the page around it: build/wasm/playground.html
	@node explorer/test/wasm_build.mjs --build=build/wasm

install: build ## install the tool and the library under PREFIX (/usr/local)
	@cmake --install build/release --prefix "$(PREFIX)"

package: build ## make a Debian package of all that `make install` installs: build/package
	@scripts/setup build dpkg-dev file
	@cpack --config build/release/CPackConfig.cmake -B build/package

clean: ## remove everything that was built
	@rm -rf build

help: ## list these commands
	@awk -F ': .*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup:
	@scripts/setup develop
