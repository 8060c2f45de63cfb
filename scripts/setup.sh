#!/bin/sh
# Makes .venv in the project's folder and installs phonxling there, with the extras given ("test", "dev"), at the
# versions of constraints.txt. Nothing outside the folder is touched. Does nothing when that was done before.
# Usage: sh scripts/setup.sh [EXTRAS]
set -eu
cd "$(dirname "$0")/.."
extras="${1:-}"
installed() { [ ".venv/installed-$1" -nt pyproject.toml ] && [ ".venv/installed-$1" -nt constraints.txt ]; }
missing=""
for name in base $(echo "$extras" | tr , ' '); do installed "$name" || missing="$missing $name"; done
if [ -z "$missing" ]; then
    exit 0
fi

fits() { "$1" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null; }
if [ ! -x .venv/bin/python ]; then
    python=""
    for name in python3.14 python3.13 python3.12 python3.11 python3 python; do
        if command -v "$name" >/dev/null 2>&1 && fits "$name"; then python="$name"; break; fi
    done
    if [ -z "$python" ]; then
        echo "phonxling needs Python 3.11 or later; none was found." >&2
        exit 1
    fi
    echo "making .venv with $("$python" --version)" >&2
    if ! "$python" -m venv .venv; then
        rm -rf .venv
        echo "Python's venv module does not work; on Debian and Ubuntu: apt install python3-venv" >&2
        exit 1
    fi
fi

echo "installing phonxling${extras:+[$extras]} into .venv (a minute or two the first time)" >&2
began="$(date +%s)"
compile=--no-compile   # Python compiles what is used, and keeps it, unless it is told not to
[ -z "${PYTHONDONTWRITEBYTECODE:-}" ] || compile=--compile
.venv/bin/python -m pip install --quiet --disable-pip-version-check --use-pep517 $compile --constraint constraints.txt \
    --editable ".${extras:+[$extras]}"
for name in base $(.venv/bin/python -c '
import re, sys, tomllib
extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]
names = sys.argv[1].replace(",", " ").split()
for name in names:  # which grows by the extras that each brings with it
    names += [part for line in extras[name] for inner in re.findall(r"phonxling\[(.*)\]", line) for part in inner.split(",")]
print(*names)' "$extras"); do
    touch ".venv/installed-$name"
done
echo "installing took $(($(date +%s) - began)) s" >&2
