#!/bin/sh
# Sets up phonxling with its test tools in .venv if need be, and runs the quick tests. Arguments go to pytest:
# `-m ""` runs the slow tests, too. scripts/check.sh runs them all.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test
unset PYTHONDONTWRITEBYTECODE   # each worker would compile all tests anew, each process all libraries
.venv/bin/python -m pytest --numprocesses auto --dist loadfile -m "not slow" "$@"
