"""The configuration: YAML with positions, models of its sections, and messages in plain words."""
