# A thin front for CMake; see README.md.
#   make CMAKE_FLAGS=-DSOLSTICE_WERROR=OFF build    passes options on to CMake

PREFIX = /usr/local
SECONDS = 60
SEED =
CMAKE_FLAGS =

.PHONY: build test run docs install clean format fuzz soak perf perf-quick setup

build: setup
	cmake --preset release $(CMAKE_FLAGS)
	cmake --build --preset release

test: setup
	tools/setup.sh page
	tools/test.sh $(CMAKE_FLAGS)

run: build
	tools/demo.sh

docs: build
	tools/stdlib_pictures.sh
	tools/stdlib_doc.sh docs
	tools/setup.sh page
	tools/page_pictures.sh

install: build
	cmake --install build --prefix "$(PREFIX)"

fuzz: setup
	cmake --preset fuzz $(CMAKE_FLAGS)
	cmake --build --preset fuzz
	tools/fuzz.sh $(SECONDS)

soak: setup
	tools/soak.sh $(SECONDS) $(SEED)

perf: build
	tools/setup.sh perf
	tools/perf.sh

perf-quick: build
	tools/setup.sh perf
	tools/perf.sh --quick

format: setup
	find base exact numerics frontend ddp jit runtime tests perf \( -name '*.[ch]' -o -name '*.cc' \) -print0 | \
	    xargs -0 -r clang-format-14 -i

clean:
	rm -rf build perf/out

setup:
	tools/setup.sh
	tools/fetch_page.sh build/page
