"""Where variation comes from: how much of being right is a matter of language, speaker, phone and recogniser."""
