"""What a pilot's variances say of a study that is planned: standard errors, and differences that would be seen."""
