#!/bin/sh
# Everything that must pass before a change lands: style, types, architecture, tests.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh dev
.venv/bin/ruff check .
.venv/bin/ruff format --check .
.venv/bin/biome check phonxling/report/page
.venv/bin/mypy
.venv/bin/lint-imports --no-logo 2>/dev/null || .venv/bin/lint-imports
sh scripts/test.sh "$@"
sh scripts/test.sh -m "slow or hypothesis" --hypothesis-profile thorough "$@"   # property tests again, on more cases
