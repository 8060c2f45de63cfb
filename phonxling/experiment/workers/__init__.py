"""Who runs the shards: threads, processes of this machine, a Dask cluster, or SLURM."""
