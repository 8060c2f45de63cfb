"""What posteriors say of the gold phones."""
