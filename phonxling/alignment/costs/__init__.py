"""Cost tables by name: features, cognate classes, users' tables; exact integers."""
