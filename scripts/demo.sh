#!/bin/sh
# Sets up phonxling in .venv if need be, runs the demo, and says where to look.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh
.venv/bin/phonxling run configs/demo.yaml "$@"
echo "Open results/demo/report.html; figures are in results/demo/figures, the numbers in results/demo/summary.tsv."
