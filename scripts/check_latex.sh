#!/bin/sh
# Compiles a document with the tables and a figure of some results under XeLaTeX, and says where the PDF is.
# Needs xelatex (Debian: texlive-xetex, texlive-latex-recommended) and a font with the phonetic letters.
# Usage: sh scripts/check_latex.sh results/demo CORPUS [FONT]
set -eu
results="$(cd "$1" && pwd)"
corpus="$2"
font="${3:-Charis SIL}"
folder="$(mktemp -d)"
cat > "$folder/paper.tex" <<EOF
\\documentclass[a4paper]{article}
\\usepackage{booktabs,fontspec,graphicx,pdflscape}
\\newfontfamily\\ipafont{$font}
\\newcommand{\\ipa}[1]{{\\ipafont #1}}
\\begin{document}
\\begin{landscape}
\\tiny\\noindent\\input{"$results/tables/summary.tex"}
\\end{landscape}
\\noindent\\input{"$results/tables/$corpus-phones.tex"}

\\noindent\\includegraphics{$results/figures/$corpus-confusions.pdf}
\\end{document}
EOF
cd "$folder"
if ! xelatex -interaction=nonstopmode -halt-on-error paper.tex > paper.out 2>&1; then
    tail -30 paper.out >&2
    exit 1
fi
if grep -q "Missing character" paper.log; then
    grep "Missing character" paper.log | sort | uniq -c >&2
    exit 1
fi
echo "$folder/paper.pdf"
