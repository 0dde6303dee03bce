"""What is asked: task, base, training and test domains, encoding, layout, window.

May import: arith.theory.numbers and below.
"""
