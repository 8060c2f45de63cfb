"""How the demo data are made: synthetic speech, small recognisers trained on English alone, and their real errors.

The steps, one module each: `sentences` writes the text, `yoruba` spells it for the synthesiser, `espeak` speaks it,
`timing` turns the synthesiser's events into phones with times, `symbols` names the phones, `speech` joins these into
utterances; `features` and `recogniser` hear them, and `ctc` does; `files` writes, and `pipeline` reports.
"""

import os

# The order of floating-point sums in a matrix product depends on the number of threads, and NumPy reads these once,
# when it is first imported: one thread makes two runs equal to the byte.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_variable] = "1"
