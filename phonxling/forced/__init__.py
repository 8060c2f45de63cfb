"""Gold phones without times, aligned with posteriorgrams: when each was spoken, and what it sounds like."""
