"""What a transformer knows of an example: encodings, and layouts in which it is written.

May import: arith.theory.arithmetic and below.
"""
