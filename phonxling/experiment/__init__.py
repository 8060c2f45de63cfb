"""Configuration and pipeline: the only place that joins the stages."""
