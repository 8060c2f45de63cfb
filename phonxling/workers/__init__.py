"""Who does the work: threads, clusters, jobs."""

SELDOM = (50_000, 20, 100)  # objects between two looks for garbage, and how many looks leave out what is older
