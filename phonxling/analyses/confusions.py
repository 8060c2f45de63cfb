"""confusions.tsv: the attested cells of the confusion matrix."""

import numpy as np
import pandas as pd

from phonxling.analyses.analysed import AnalysedCorpus
from phonxling.analyses.pointwise import npmi_of, pmi_of
from phonxling.core.arrays import Floats, divided, whole
from phonxling.core.inventory import GAP


def confusion_table(analysis: AnalysedCorpus) -> pd.DataFrame:
    """Return confusions.tsv: the attested cells."""
    matrix, with_gaps = analysis.matrix, analysis.counting is not None and analysis.counting.gaps
    rows, columns = np.nonzero(matrix.counts)
    gold, predicted = np.array([*matrix.gold, GAP], dtype=object), np.array([*matrix.predicted, GAP], dtype=object)
    symbols = matrix.counts if with_gaps else matrix.substitutions
    joint, lacking = divided(symbols, symbols.sum()), 0 if with_gaps else 1

    def framed(cells: Floats) -> Floats:
        """Return cells with an empty row and column of ∅ where they have none."""
        return np.pad(cells, ((0, lacking), (0, lacking)), constant_values=np.nan)

    values = {
        "count": whole(matrix.counts),
        "p_predicted_given_gold": conditional(matrix.counts, with_gaps=with_gaps),
        "p_gold_given_predicted": conditional(matrix.counts.T, with_gaps=with_gaps).T,
        "p_joint": framed(joint),
        "pmi": framed(pmi_of(joint)),
        "npmi": framed(npmi_of(joint)),
        "cost": analysis.cell_costs,
    }
    labels = {"gold": gold[rows], "predicted": predicted[columns]}
    return pd.DataFrame({**labels, **{name: value[rows, columns] for name, value in values.items()}})


def conditional(counts: Floats, *, with_gaps: bool = False) -> Floats:
    """Return p(column | row) of counts with ∅ last; without it as a symbol."""
    if with_gaps:
        return divided(counts, counts.sum(axis=1, keepdims=True))
    shares = divided(counts, counts[:, :-1].sum(axis=1, keepdims=True))
    shares[:, -1] = divided(counts[:, -1], counts.sum(axis=1))
    return shares
