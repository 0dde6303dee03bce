"""How a task is learned: soon or late (leap complexity), and on which plateaus training stands.

May import: theory.counting and below.
"""
