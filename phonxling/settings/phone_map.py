"""What can be chosen of the phone map, and the default distance."""

from typing import Final, Literal, TypeAlias

Method: TypeAlias = Literal["umap", "pca", "mds"]
Metric: TypeAlias = Literal["hellinger", "tempered", "aitchison"]
METRIC: Final = "tempered"  # the default; docs/measures/map.md says why
