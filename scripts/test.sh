#!/bin/sh
# Sets up phonxling with its test tools in .venv if need be, and runs the quick tests. Arguments go to pytest:
# `-m "" --hypothesis-profile thorough` runs the slow tests, too, and more random cases, as scripts/check.sh does.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test
.venv/bin/python -m pytest --numprocesses auto --dist loadfile -m "not slow" "$@"
