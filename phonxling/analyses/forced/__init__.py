"""Gold phones whose times were found from the posteriors, and what each of them sounds like to the recogniser."""
