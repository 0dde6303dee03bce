"""What is asked: task, base, training and test domains, encoding, layout, window.

May import: theory.numbers and below.
"""
