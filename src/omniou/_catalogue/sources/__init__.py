"""Sources of the written functions: names, types and docstrings that `python -m omniou._catalogue.write` prints."""
