"""What is inserted, and where."""
