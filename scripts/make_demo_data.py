"""Make the demo data: synthetic speech in nine languages, heard by two phone recognisers that know English alone.

Needs the extra ``demo-data``. Two runs on one machine write the same bytes; see data/README.md.
"""

import argparse
from pathlib import Path

from demo_data.pipeline import make

_DEFAULT_OUTPUT = Path(__file__).resolve().parent.parent / "data" / "demo"
_RECOGNISERS = ("mlp", "ctc")


def main() -> None:
    """Read the command line and make the data."""
    parser = argparse.ArgumentParser(description="Make the demo data of phonxling.")
    parser.add_argument("--output", dest="folder", type=Path, default=_DEFAULT_OUTPUT, help="folder to write into")
    parser.add_argument("--recognisers", nargs="+", choices=_RECOGNISERS, default=_RECOGNISERS, help="default: both")
    parser.add_argument("--utterances", type=int, default=150, help="utterances of each of the first four languages")
    parser.add_argument("--training", type=int, default=900, help="English utterances to train on")
    parser.add_argument("--seed", type=int, default=7, help="from which all that is random derives")
    make(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
