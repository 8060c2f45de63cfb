"""The tables on posteriors: every pair of gold and recognised phone, and each phone's frames."""

import numpy as np
import pandas as pd

from phonxling.analyses.association.association import Association
from phonxling.analyses.information.pointwise import npmi_of, pmi_of
from phonxling.core.means import TokenPosteriors


def association_table(found: Association) -> pd.DataFrame:
    """Return association.tsv: every pair, from posteriors, and beside it from hard decisions."""
    soft, hard, cells = found.soft, found.hard.probabilities(), found.cells
    shares = soft.probabilities()
    values = {
        "p_joint": shares,
        "pmi": pmi_of(shares),
        "npmi": npmi_of(shares),
        "low": cells.low,
        "high": cells.high,
        "p": cells.p,
        "q": cells.q,
        "p_joint_hard": hard,
        "pmi_hard": pmi_of(hard),
        "npmi_hard": npmi_of(hard),
    }
    return pd.DataFrame(
        {
            "gold": np.repeat(soft.rows.phones, len(soft.columns)),
            "recognised": np.tile(soft.columns.phones, len(soft.rows)),
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
