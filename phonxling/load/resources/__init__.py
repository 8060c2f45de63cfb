"""What users bring beside data: features, costs, maps, speakers."""
