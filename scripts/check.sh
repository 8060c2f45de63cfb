#!/bin/sh
# Everything that must pass before a change lands: style, types, architecture, tests. With --but-quick, without the tests
# of scripts/test.sh, which were run elsewhere; what else is given goes to pytest.
set -eu
cd "$(dirname "$0")/.."
quick=yes
if [ "${1:-}" = --but-quick ]; then
    quick=no
    shift
fi
sh scripts/setup.sh dev
.venv/bin/ruff check .
.venv/bin/ruff format --check .
.venv/bin/biome check phonxling/report/assets
# The scripts as the page has them, in one scope: no name is unknown or unused.
mkdir -p build && .venv/bin/python -c 'from phonxling.report.render import script; print(script())' > build/page.js
.venv/bin/biome lint --error-on-warnings --only=noUndeclaredVariables --only=noUnusedVariables build/page.js
.venv/bin/mypy
.venv/bin/lint-imports --no-logo 2>/dev/null || .venv/bin/lint-imports
if [ "$quick" = no ]; then
    sh scripts/test.sh -m slow "$@"
else
    sh scripts/test.sh "$@"
    sh scripts/test.sh -m "slow or hypothesis" --hypothesis-profile thorough "$@"   # property tests again, on more cases
fi
