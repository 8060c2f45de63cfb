"""What a paper takes from results: tables, numbers and sentences, the methods and their references."""
