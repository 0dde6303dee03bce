"""What follows from what training showed: support, joint support, views, the learned function.

May import: theory.setting and below.
"""
