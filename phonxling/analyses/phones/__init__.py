"""Each phone by itself."""
