"""Confusions of speakers, languages and the recogniser, each drawn towards what is around it."""
