"""The configuration as typed, checked, frozen values."""
