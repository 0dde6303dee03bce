"""Inside a trained model: influence of inputs, hidden states, activation patching.

May import: verify.model and below.
"""
