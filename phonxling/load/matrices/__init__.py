"""Files of matrices [frames, columns], one an utterance: one module a format."""
