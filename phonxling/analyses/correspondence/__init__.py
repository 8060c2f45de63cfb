"""Whether like phones are confused, and whether one phone stands for one."""
