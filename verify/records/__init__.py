"""What is kept of a trained model, in a store and as text; no torch.

May import: arith.verify.plan and below.
"""
