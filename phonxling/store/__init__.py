"""What a folder of results keeps: finished work, journals, locks."""
