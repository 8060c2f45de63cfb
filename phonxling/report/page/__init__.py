"""The page: every table of a result, and what looks at them, in one file that needs no network."""
