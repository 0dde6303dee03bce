"""What does happen: models, training, measurement, and the comparison with the theory."""
