"""The functions of `omniou.gaussian`, with their documentation."""

from collections.abc import Iterator

from omniou._catalogue import gaussian_operations
from omniou._catalogue.gaussian_operations import GaussianOptions
from omniou._catalogue.gaussian_scores import GAUSSIANS
from omniou._catalogue.options import declared, documented
from omniou._catalogue.score import Score
from omniou._catalogue.sources.function import SETS, FunctionSource


def function_sources() -> Iterator[FunctionSource]:
    """Yield the sources of all functions."""
    for score in GAUSSIANS:
        options = declared(GaussianOptions, score.options)
        yield FunctionSource(
            name=score.name,
            operation=gaussian_operations.score(score.name),
            expression=f'gaussian_operations.score("{score.name}")',
            arguments=SETS,
            options=options,
            doc=_text(score, documented(options)),
        )


def _text(score: Score, options: str, /) -> str:
    low, high = score.bounds
    about = f"\n{score.about}\n" if score.about else ""
    return f"""{score.title}, element by element.
{about}
Parameters
----------
a, b : array, shape (..., 4), (..., 5) or (..., 8)
    Boxes or rotated rectangles. Leading axes broadcast.
{options}

Returns
-------
array, shape (...)
    In [{low:g}, {high:g}]; {score.empty}.

Raises
------
TypeError, ValueError
    The same as in `omniou.boxes` and `omniou.rotated`.

References
----------
{score.paper}
"""
