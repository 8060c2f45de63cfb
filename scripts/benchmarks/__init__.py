"""Our kernels beside other libraries', on the same work, in turns, in one process."""
