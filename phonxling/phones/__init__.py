"""Raw symbols to phones: spelling, maps, tone, closures, segmentation, pairing."""
