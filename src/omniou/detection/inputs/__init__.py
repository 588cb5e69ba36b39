"""What a caller hands over, checked: columns, dictionaries, names, and the shapes that are compared.

Imports no other folder of `detection`.
"""

__all__: list[str] = []
