"""The document of an evaluation: what it holds, how it is made, its tables."""
