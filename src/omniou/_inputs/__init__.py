"""What a caller hands over, checked: columns, dictionaries, names, and the shapes that are compared."""

__all__: list[str] = []
