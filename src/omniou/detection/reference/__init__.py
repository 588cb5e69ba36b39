"""What pycocotools' evaluator keeps of an evaluation, for the module that stands in for it.

Imports `inputs`, `matching` and `curves`.
"""

__all__: list[str] = []
