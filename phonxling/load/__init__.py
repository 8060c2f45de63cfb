"""Files to core values, one module a format."""
