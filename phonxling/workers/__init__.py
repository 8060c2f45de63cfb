"""Who does the work: threads, processes, clusters."""
