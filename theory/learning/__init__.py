"""How a task is learned: soon or late (leap complexity), and on which plateaus training stands.

May import: arith.theory.prediction and below.
"""
