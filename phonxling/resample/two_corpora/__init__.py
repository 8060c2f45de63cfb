"""Two corpora beside each other: any measure of their counts, and the shares of their cells."""
