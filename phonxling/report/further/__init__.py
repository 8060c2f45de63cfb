"""What the page shows of analyses that only some experiments have: sentences and a table each."""
