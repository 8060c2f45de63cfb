"""The tone tier, and tone with its segment."""
