"""Raw symbols to phones: Unicode forms, symbol maps, tone, silence, closures, and the audit of what was done."""
