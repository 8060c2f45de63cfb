#!/bin/sh
# Checks a written page with axe-core, which npm fetches into a temporary folder. Needs npm and Chromium.
# Usage: sh scripts/check_accessibility.sh results/demo/report.html
set -eu
page="$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
cd "$(dirname "$0")/.."
sh scripts/setup.sh browser
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" axe-core@4
.venv/bin/python scripts/check_accessibility.py "$page" "$folder/node_modules/axe-core/axe.min.js"
