"""A folder of results on disk, and the work that is kept in it."""
