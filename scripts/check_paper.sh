#!/bin/sh
# Compiles docs/paper/paper.tex with the results of configs/paper.yaml, under XeLaTeX and LuaLaTeX where they are
# installed. A missing letter, an overfull box of 3 pt or more, or a reference or citation without its target is an
# error, and so is a table that would be set smaller than .8 of its size. Says where the PDFs are. Run first: phonxling run configs/paper.yaml, and
# phonxling compare results/paper --output results/paper-languages. Needs latexmk and a font with the phonetic letters
# (Debian: texlive-xetex texlive-luatex texlive-latex-extra texlive-science texlive-fonts-recommended fonts-sil-charis
# latexmk).
# Usage: sh scripts/check_paper.sh [RESULTS [COMPARISON]]
set -eu
top="$(cd "$(dirname "$0")/.." && pwd)"
results="$(cd "${1:-$top/results/paper}" && pwd)"
comparison="$(cd "${2:-$top/results/paper-languages}" && pwd)"
export max_print_line=10000   # so that a message of TeX is one line
command -v xelatex > /dev/null || command -v lualatex > /dev/null || {
    echo "neither xelatex nor lualatex is installed; the first lines of $0 name the packages" >&2
    exit 1
}
folder="$(mktemp -d)"
cp "$top/docs/paper/paper.tex" "$folder"
cd "$folder"
for engine in xelatex lualatex; do
    command -v "$engine" > /dev/null || continue
    mkdir "$engine"
    if ! latexmk "-$engine" -interaction=nonstopmode -halt-on-error -outdir="$engine" \
        -usepretex="\\def\\results{$results}\\def\\comparison{$comparison}" paper.tex > "$engine.out" 2>&1; then
        grep -A 2 '^! ' "$engine/paper.log" >&2 || tail -40 "$engine.out" >&2
        exit 1
    fi
    bad="$(grep -E 'Missing character|Table too wide|LaTeX Warning: (Citation|Reference).*undefined|Overfull .[hv]box \(([3-9]|[0-9]{2,})\.' \
        "$engine/paper.log" | sort | uniq -c)" || true
    if [ -n "$bad" ]; then
        printf '%s\n' "$bad" >&2
        exit 1
    fi
    echo "$folder/$engine/paper.pdf"
done
