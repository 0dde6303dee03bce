"""The network, and its answers.

May import: theory, verify.plan, verify.records.
"""
