"""confusions.tsv: the attested cells of the confusion matrix."""

import numpy as np
import pandas as pd

from phonxling.analyses.case.analysed import AnalysedCorpus
from phonxling.analyses.information.pointwise import npmi_of, pmi_of
from phonxling.core.arrays import Floats, divided, whole
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.inventory import GAP


def confusion_table(analysis: AnalysedCorpus) -> pd.DataFrame:
    """Return confusions.tsv: the attested cells.

    Conditional probabilities are over phones without ∅; a ∅ cell has its share of all tokens of that phone. PMI and
    NPMI are of the counts without ∅.
    """
    matrix = analysis.matrix
    rows, columns = np.nonzero(matrix.counts)
    gold, predicted = np.array([*matrix.gold, GAP], dtype=object), np.array([*matrix.predicted, GAP], dtype=object)
    total = matrix.substitutions.sum()
    joint = np.full(matrix.counts.shape, np.nan)
    joint[:-1, :-1] = matrix.substitutions / total if total else np.nan
    inside = joint[:-1, :-1]
    values = {
        "count": whole(matrix.counts),
        "p_predicted_given_gold": _conditional(matrix),
        "p_gold_given_predicted": _conditional(_transposed(matrix)).T,
        "p_joint": joint,
        "pmi": _framed(pmi_of(inside)),
        "npmi": _framed(npmi_of(inside)),
        "cost": analysis.cell_costs,
    }
    labels = {"gold": gold[rows], "predicted": predicted[columns]}
    return pd.DataFrame({**labels, **{name: value[rows, columns] for name, value in values.items()}})


def _conditional(matrix: ConfusionMatrix) -> Floats:
    """Return p(column | row), [G + 1, P + 1]: over columns without ∅; a ∅ cell has its share of all its phone's."""
    shares = np.full(matrix.counts.shape, np.nan)
    tokens = matrix.counts[:, :-1].sum(axis=1)
    shares[:, :-1] = divided(matrix.counts[:, :-1], tokens[:, None])
    shares[:-1, -1] = divided(matrix.deletions, matrix.tokens)
    shares[-1, :] = np.nan
    shares[-1, :-1] = divided(matrix.insertions, np.asarray(matrix.insertions.sum()))
    return shares


def _transposed(matrix: ConfusionMatrix) -> ConfusionMatrix:
    return ConfusionMatrix(matrix.predicted, matrix.gold, matrix.counts.T)


def _framed(inside: Floats) -> Floats:
    return np.pad(inside, ((0, 1), (0, 1)), constant_values=np.nan)
