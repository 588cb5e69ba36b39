"""The table of conventions: a declaration for each library, in the file of its kind.

To add one, add its declaration, its test in `tests/oracles/test_conventions*.py` and a line of the changelog. The page
`docs/conventions.md` is made from the table.
"""

from omniou._catalogue.convention import Conventions
from omniou._catalogue.peers import tools as _tools
from omniou._catalogue.peers import training as _training

__all__ = ["conventions"]

conventions = Conventions(*_training.DECLARED, *_tools.DECLARED)
