"""A recipe for the tests' own trainings, of some hundred steps."""

from verify.recipe import Recipe

# Fast rates and all dropout at once: the recipe in use is made for thousands of steps.
QUICK = Recipe(
    batch=64,
    matrix_rate=0.02,
    other_rate=1e-3,
    early=1.0,
    warmup=20,
    rise=51,
    settle=100,
    cool=100,
)
