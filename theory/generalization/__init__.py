"""What training shows, the four theorems, exact shares: a setting in, a prediction out.

May import: arith.theory.setting and below.
"""
