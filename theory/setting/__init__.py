"""What is asked: task, base, digits, training domain, encoding, layout.

May import: theory.numbers and below.
"""
