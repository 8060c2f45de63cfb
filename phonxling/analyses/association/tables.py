"""The tables on posteriors: every pair of gold and recognised phone, and each phone's frames."""

import numpy as np
import pandas as pd

from phonxling.analyses.association.cells import CellTests
from phonxling.analyses.information.pointwise import npmi_of, pmi_of
from phonxling.core.joint import JointDistribution
from phonxling.core.means import TokenPosteriors


def association_table(sampled: JointDistribution, decided: JointDistribution, cells: CellTests) -> pd.DataFrame:
    """Return association.tsv: every pair, from posteriors, and beside it from the most probable phones."""
    shares, decisions = sampled.probabilities(), decided.probabilities()
    values = {
        "p_joint": shares,
        "pmi": pmi_of(shares),
        "npmi": npmi_of(shares),
        "low": cells.low,
        "high": cells.high,
        "q": cells.q,
        "p_joint_decision": decisions,
        "pmi_decision": pmi_of(decisions),
        "npmi_decision": npmi_of(decisions),
    }
    return pd.DataFrame(
        {
            "gold": np.repeat(sampled.rows.phones, len(sampled.columns)),
            "recognised": np.tile(sampled.columns.phones, len(sampled.rows)),
            **{name: table.ravel() for name, table in values.items()},
        }
    )


def frame_table(tokens: TokenPosteriors) -> pd.DataFrame:
    """Return frames.tsv: of each gold phone its tokens, those that posteriors say nothing of, and its frames."""
    tied = np.bincount(tokens.codes, minlength=len(tokens.phones))
    return pd.DataFrame(
        {
            "phone": tokens.phones.phones,
            "tokens": tied + tokens.without_frame + tokens.silent,
            "with_posteriors": tied,
            "without_frame": tokens.without_frame,
            "silence_alone": tokens.silent,
            "frames": tokens.frames,
        }
    )
