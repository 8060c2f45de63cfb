#!/bin/sh
# Builds the sdist, and the wheel from the sdist; installs the wheel without extras into an environment of its own, and
# checks there what a user of it meets: scripts/packaging. With --lowest, each library has the lowest version that
# pyproject.toml claims, and the quick tests are run there, too (about ten minutes).
# Usage: sh scripts/check_package.sh [--lowest]
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh dev
root="$(pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
pip="-m pip install --quiet --disable-pip-version-check --no-compile"

.venv/bin/python -m build --outdir "$folder/dist" . > "$folder/build.log" || { cat "$folder/build.log" >&2; exit 1; }
.venv/bin/python -m venv "$folder/user"
user="$folder/user/bin/python"
constraints=constraints.txt
if [ "${1:-}" = --lowest ]; then
    constraints="$folder/lowest.txt"
    .venv/bin/python scripts/packaging/lowest_versions.py > "$constraints"
fi
# shellcheck disable=SC2086 - the options are words
"$user" $pip --constraint "$constraints" "$folder"/dist/*.whl
.venv/bin/python scripts/packaging/same_files.py "$folder/dist"
mkdir "$folder/work"
cp scripts/packaging/user_program.py "$folder/work"
cd "$folder/work"
"$user" "$root/scripts/packaging/minimal_install.py"
"$user" user_program.py
"$root/.venv/bin/mypy" --strict --no-incremental user_program.py   # pandas' types are in .venv, as they would be a user's
if [ "${1:-}" = --lowest ]; then
    cd "$root"
    # shellcheck disable=SC2086
    "$user" $pip --constraint "$constraints" --editable ".[test]"
    "$user" -m pytest --numprocesses auto --dist loadfile -m "not slow" -W "default::DeprecationWarning"   # typer of old
fi
