# Every command a person or a CI needs. `make help` lists them; the work is in scripts/ and CMake.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The same object for the same source in any folder: a fresh clone is served from the cache.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
PREFIX ?= /usr/local

.PHONY: help run build install test check conformance bench format

help: ## list these commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 22

run: build ## build, then run the demo: ten orders and a server on loopback (ARGS=--exit: end when done)
	@build/release/perdure demo $(ARGS)

build: ## install what the build lacks, then build build/release/perdure
	@scripts/bootstrap build
	@scripts/build release perdure

install: ## build and install the program, libperdure.so and its headers to PREFIX (/usr/local)
	@scripts/bootstrap build
	@scripts/build release perdure perdure_library
	@cmake --install build/release --prefix $(PREFIX)

test: ## install what is missing, build and run every test; ends with a line that counts them
	@scripts/bootstrap build test
	@scripts/test

check: ## the fast loop: format, house rules, debug build, fast tests
	@scripts/bootstrap build test
	@scripts/check

conformance: ## one line for each corpus: NAME: N passed, M failed, K skipped
	@scripts/bootstrap build test
	@scripts/conformance

bench: ## figures as text, and as one JSON object in build/bench/results.json
	@scripts/bootstrap build test
	@scripts/bench $(ARGS)

format: ## rewrite the C++ files in the house format
	@scripts/bootstrap build test
	@scripts/format
