"""Code that several adapters share: columns of batches, pairing, parts of states, scores by name.

Imports omniou and NumPy, and no framework.
"""
