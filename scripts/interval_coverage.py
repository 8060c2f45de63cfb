"""Prints how often intervals hold the truth and how far estimates are off, where it is known: docs/validation.md."""

import argparse

from simulations import (
    alarms,
    aligned,
    assimilation,
    languages,
    matrices,
    posteriors,
    reference,
    speakers,
)

STUDIES = {
    "speakers": speakers.lines,
    "threshold": speakers.threshold_lines,
    "aligned": aligned.lines,
    "alarms": alarms.lines,
    "divergence": speakers.divergence_lines,
    "information": matrices.information_lines,
    "phones": matrices.phone_lines,
    "rare": matrices.rare_lines,
    "posteriors": posteriors.lines,
    "reference": reference.lines,
    "assimilation": assimilation.lines,
    "languages": languages.lines,
    "prompts": speakers.prompt_lines,
    "estimators": matrices.estimator_lines,
    "groups": alarms.group_lines,
    "features": alarms.feature_lines,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("simulations", nargs="?", type=int, default=300, help="for each entry of a table (300)")
    parser.add_argument("--study", choices=STUDIES, help="one of the studies alone")
    options = parser.parse_args()
    for name, study in STUDIES.items():
        if options.study in {None, name}:
            print("\n".join(study(options.simulations)), flush=True)
