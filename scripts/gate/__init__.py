"""The gate of a redesign: experiments whose tables must stay, byte for byte, what they were."""
