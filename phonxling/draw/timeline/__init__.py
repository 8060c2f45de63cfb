"""How an utterance over time is laid out on a page."""
