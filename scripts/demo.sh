#!/bin/sh
# Sets up phonxling in .venv if need be, runs the demo, and says where its page is and what to look at there.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh
.venv/bin/phonxling run configs/demo.yaml "$@"
echo "Open this page in a browser and look at its first rows: each language's error rate beside guessing, and its worst phones."
