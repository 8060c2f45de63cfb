#!/bin/sh
# Sets up phonxling in .venv if need be, runs the demo, and says where to look.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh
.venv/bin/phonxling run configs/demo.yaml "$@"
echo "Open results/demo/figures/rates.png, map.png and yoruba-confusions.png; the numbers are in results/demo/summary.tsv."
