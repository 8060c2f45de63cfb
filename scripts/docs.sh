#!/bin/sh
# Builds the documentation into build/docs, and runs its notebooks. A warning is an error. Needs no network but the
# package registry, where .venv lacks what builds it. Arguments go to Sphinx.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh docs
PATH="$PWD/.venv/bin:$PATH"   # notebooks call phonxling
IPYTHONDIR="$PWD/build/ipython"
export PATH IPYTHONDIR
mkdir -p build/ipython/profile_default/startup
cp docs/notebook_start.py build/ipython/profile_default/startup/
echo "c.IPKernelApp.log_level = 40  # errors alone" > build/ipython/profile_default/ipython_kernel_config.py
.venv/bin/python -m sphinx --fresh-env --fail-on-warning --quiet --jobs auto --builder html docs build/docs "$@"
echo "Open build/docs/index.html."
