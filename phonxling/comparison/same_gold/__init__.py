"""Items of the same utterances with the same gold phones: what they get wrong together, and suspects of the gold."""
