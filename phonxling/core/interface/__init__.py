"""How public functions take what a caller gives them."""
