"""What training shows: digits at addresses, views, and what was shown together.

May import: arith.theory.rules and below.
"""
