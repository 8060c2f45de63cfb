"""Why phones are missed."""
