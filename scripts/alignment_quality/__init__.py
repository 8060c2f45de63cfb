"""How often costs align cognate words as experts did."""
