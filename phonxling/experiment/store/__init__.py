"""What finished work is kept for a next run, and how one run has a folder to itself."""
