"""Settings of all tests."""

from hypothesis import HealthCheck, settings

# Machines are noisy: no example fails for being slow.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
