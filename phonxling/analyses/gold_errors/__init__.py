"""What the numbers would be if some of the gold phones were wrong."""
