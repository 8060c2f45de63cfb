"""What goes wrong in practice, done to real runs: see scripts/fault_matrix.py."""
