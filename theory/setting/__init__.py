"""What is asked: task, base, training and test domains, encoding, layout, window, model.

May import: arith.theory.transformer and below.
"""
