"""Prints how often intervals hold the truth, on simulated corpora whose truth is known (see docs/uncertainty.md)."""

import argparse

from simulations import (
    agreement,
    alarms,
    aligned,
    assimilation,
    correlation,
    divergence,
    estimates,
    information,
    phone_map,
    phones,
    plan,
    pooled,
    posteriors,
    reference,
    speakers,
    unequal,
)

STUDIES = {
    "speakers": speakers,
    "unequal": unequal,
    "aligned": aligned,
    "alarms": alarms,
    "divergence": divergence,
    "information": information,
    "estimates": estimates,
    "phones": phones,
    "tau": correlation,
    "posteriors": posteriors,
    "map": phone_map,
    "reference": reference,
    "assimilation": assimilation,
    "agreement": agreement,
    "plan": plan,
    "pooled": pooled,
}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("simulations", nargs="?", type=int, default=300, help="for each entry of a table (300)")
    parser.add_argument("--study", choices=STUDIES, help="one of the studies alone")
    return parser.parse_args()


if __name__ == "__main__":
    options = _options()
    for name, study in STUDIES.items():
        if options.study in {None, name}:
            print("\n".join(study.lines(options.simulations)), flush=True)
