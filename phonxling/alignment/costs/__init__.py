"""Cost tables by name: features, users' tables; exact integers."""
