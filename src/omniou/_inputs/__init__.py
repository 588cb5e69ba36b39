"""Checked input of evaluations: columns, dictionaries, names, and the shapes that are compared."""

__all__: list[str] = []
