"""`python -m phonxling` is the command line."""

from phonxling.cli import main

if __name__ == "__main__":  # processes that draw import this module again
    main()
