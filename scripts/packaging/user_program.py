"""A user's program, which runs and holds under mypy's strict rules with the types that the package ships."""

import numpy as np
import pandas as pd

import phonxling as px
from phonxling.core.costs import CostTable


def rates(gold: str, predicted: str) -> tuple[float, float]:
    """Return the phone error rate and the weighted one."""
    corpus: px.Corpus = px.load_corpus(gold, predicted, symbols=("ipa", "ipa"))
    costs: CostTable = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    matrix: px.ConfusionMatrix = px.count_confusions(px.align_corpus(corpus, costs))
    return px.phone_error_rate(corpus), px.weighted_phone_error_rate(matrix, costs)


def entropies(matrix: px.ConfusionMatrix) -> pd.Series:
    """Return the entropy of each gold phone."""
    return px.confusion_entropy(matrix, estimator="ml")


def errors_of(batches: list[tuple[list[str], list[str]]]) -> dict[str, float]:
    """Return the rates of batches of texts, as a training loop counts them."""
    parts: list[px.PhoneErrors] = []
    for gold, predicted in batches:
        parts.append(px.PhoneErrors(costs="panphon"))
        parts[-1].update(gold, predicted)
    total = parts[0]
    total.merge(parts[1])
    return total.compute().to_dict()


def table_of(gold: list[list[str]], predicted: list[list[str]]) -> pd.DataFrame:
    """Return the confusions of phones in memory."""
    corpus = px.load_corpus(gold, predicted)
    costs = px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory)
    return px.count_confusions(px.align_corpus(corpus, costs)).to_frame(wide=True)


def main() -> None:
    """Print some numbers."""
    print(errors_of([(["p a"], ["b a"]), (["t a"], ["t a"])])["per"], table_of([["p", "a"]], [["b", "a"]]).shape)
    print(rates("gold.tsv", "predicted.tsv"))
    matrix = px.ConfusionMatrix(gold=["a", "b"], predicted=["a", "b"], counts=np.array([[3, 1], [0, 4]]))
    print(entropies(matrix + matrix).round(3).to_dict())
    print(px.conditional_entropy(matrix), px.mutual_information(matrix), px.symbols.GAP, px.__version__)


if __name__ == "__main__":
    main()
