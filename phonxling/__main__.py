"""`python -m phonxling` is the command line."""

from phonxling.cli import main

main()
