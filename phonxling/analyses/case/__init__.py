"""What an analysis is given: a corpus as it was loaded, aligned and counted, with its settings."""
