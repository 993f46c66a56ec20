"""Files on disk or on the Hub: documents with positions, folders, weights, targets.

May import `core`.
"""
