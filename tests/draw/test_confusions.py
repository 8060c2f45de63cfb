from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from conftest_draw import count_table  # placeholder
