"""What several tests build or compute: cells, made-up runs, brute force, tiny models, commands.

Only ``tiny_models`` imports torch.
"""
