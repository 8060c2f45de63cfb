#!/bin/sh
# Sets up phonxling with its test tools in .venv if need be, and runs the tests. Arguments go to pytest.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test
.venv/bin/python -m pytest --numprocesses auto "$@"
