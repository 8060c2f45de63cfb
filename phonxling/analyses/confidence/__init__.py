"""How far confidences can be trusted."""
