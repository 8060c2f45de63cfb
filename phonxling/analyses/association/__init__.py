"""Gold phones beside what posteriors say."""
