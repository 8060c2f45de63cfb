"""What lies in a folder: each file is what its contents say that it is."""
