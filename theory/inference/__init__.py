"""What follows from what training showed: digits read, local rules continued, f^ learned.

May import: arith.theory.arithmetic and below.
"""
