"""Inside a trained model: influence of inputs, hidden states, activation patching.

May import: arith.verify.model and below.
"""
