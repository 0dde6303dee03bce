"""How fast it is, measured against what one would use otherwise: ``python -m benchmarks``."""
