#!/bin/sh
# Tests the page in Chromium (tests/browser). Installs playwright into .venv, and Chromium by apt where there is none and
# that can be done; another browser of its kind is named in CHROMIUM. Arguments go to pytest.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh browser
if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null 2>&1 && ! command -v chromium-browser >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "installing chromium" >&2
        apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null
    else
        echo "no chromium: install it (Debian: apt install chromium), or name a browser in CHROMIUM" >&2
        exit 1
    fi
fi
.venv/bin/python -m pytest tests/browser "$@"
