"""Files that other tools write: reports of recognisers with both sides, and phones with times."""
