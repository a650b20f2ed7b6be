# A newcomer needs `make demo` and `make test`. Each target installs what is missing, does what is
# not yet done, and nothing else; CMake and Ninja know the rest.

PRESET ?= release
JOBS := $(shell getconf _NPROCESSORS_ONLN)

.PHONY: build demo test bench format check docs tidy asan sanitize tsan clean help packages test-packages check-packages with-tests
.NOTPARALLEL:

build: build/build.ninja  ## build the libraries and build/liegrad
	@cmake --build build

demo: build/build.ninja  ## build, then simulate, differentiate, fit, optimise; report in out/report.html
	@cmake --build build --target liegrad
	@scripts/demo

test: build/build.ninja with-tests  ## build and run all tests
	@cmake --build build --target all tests
	@ctest --preset release --parallel $(JOBS)

bench: build/build.ninja with-tests  ## build and run the benchmarks
	@cmake --build build --target run_bench

format: check-packages  ## format the sources in place
	@scripts/format

# From the first `make check` on, warnings are errors in this tree.
check: build/build.ninja with-tests check-packages  ## format, headers alone, warnings as errors
	@scripts/format --check
	@grep -q '^CMAKE_COMPILE_WARNING_AS_ERROR:.*=ON$$' build/CMakeCache.txt || cmake --preset ci
	@cmake --build build --target all tests bench all_verify_interface_header_sets \
	  -- -k 0  # all findings at once

docs: check-packages  ## reference of the public headers in build/reference/index.html; warnings are errors
	@mkdir -p build/reference
	@doxygen docs/Doxyfile

# clang-tidy looks at sources one by one, which merged sources are not.
tidy: build/build.ninja with-tests  ## clang-tidy, which takes longer than everything else
	@grep -q '^LIEGRAD_MERGE_SOURCES:.*=OFF$$' build/CMakeCache.txt || cmake --preset ci
	@cmake --build build --target tidy -- -k 0

asan: build/asan/build.ninja  ## run the tests under address and undefined-behaviour sanitizers
	@cmake --build --preset asan-ubsan
	@ctest --preset asan-ubsan --parallel $(JOBS)

# Which part: see cmake/LiegradSanitizedTests.cmake.
sanitize: build/asan/build.ninja  ## the same for a part of the tests that takes minutes
	@cmake --build --preset asan-chosen
	@ctest --preset asan-chosen --parallel $(JOBS)

# Only the programs that have threads: the others would be slow and find nothing.
tsan: build/tsan/build.ninja  ## run the tests with threads under the thread sanitizer
	@cmake --build --preset tsan
	@ctest --preset tsan --parallel $(JOBS)

clean:  ## remove everything that was built or fetched
	rm -rf build

help:  ## print this list
	@awk -F ':.*##' '/^[a-z]+:.*##/ { printf "make %-8s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# What runs needs fewer packages than what tests.
build/build.ninja: CMakePresets.json | packages
	@cmake --preset $(PRESET) -DLIEGRAD_TESTS=OFF
	@touch $@

with-tests: build/build.ninja test-packages
	@grep -q '^LIEGRAD_TESTS:.*=ON$$' build/CMakeCache.txt || cmake --preset $(PRESET) -DLIEGRAD_TESTS=ON

build/asan/build.ninja: CMakePresets.json | packages test-packages
	@cmake --preset asan-ubsan
	@touch $@

build/tsan/build.ninja: CMakePresets.json | packages test-packages
	@cmake --preset tsan
	@touch $@

packages:
	@scripts/install-packages run

test-packages:
	@scripts/install-packages run test

check-packages:
	@scripts/install-packages check
