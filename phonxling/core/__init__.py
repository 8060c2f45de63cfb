"""The frozen values that the stages pass to each other. Needs numpy alone."""
