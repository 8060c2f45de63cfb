"""What the reference language leads one to expect."""
