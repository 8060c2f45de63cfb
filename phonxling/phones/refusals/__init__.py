"""What is said of unknown symbols and of ids without a partner: what they may be, and what to do."""
