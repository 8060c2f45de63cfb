"""The phone map and its faithfulness."""
