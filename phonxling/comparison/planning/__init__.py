"""What finished results say of a study that is planned: how many speakers and utterances are enough."""
