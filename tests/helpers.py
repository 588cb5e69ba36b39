"""Helpers of tests: arrays of any library, comparison, random boxes and run lengths."""

from typing import Any

import array_api_compat as compat
import numpy as np
import numpy.typing as npt


def array(xp: Any, values: Any, dtype: str = "float64") -> Any:
    return xp.asarray(values, dtype=getattr(xp, dtype))


def numbers(x: Any) -> npt.NDArray[Any]:
    """Any array as float64 in NumPy."""
    if compat.is_torch_array(x):
        x = x.detach().double().cpu().numpy()
    elif compat.is_jax_array(x):
        x = x.astype(float)
    elif not compat.is_numpy_array(x) and hasattr(x, "compute"):
        x = x.compute()
    elif compat.is_array_api_strict_namespace(compat.array_namespace(x)):
        x = np.from_dlpack(x.to_device(compat.array_namespace(x).Device("CPU_DEVICE")))
    elif compat.is_cupy_array(x):
        x = x.get()
    return np.asarray(x, dtype=float)


def integers(x: Any) -> Any:
    """Any array of integers as nested lists."""
    assert "int" in str(x.dtype)
    return numbers(x).astype(int).tolist()


def assert_close(actual: Any, expected: Any, *, like: Any = None, ulp: float = 4) -> None:
    """Equal within a few units in the last place of the result's dtype, at the scale of 1.

    With `like`, the result must also have its library, device and dtype: a silent NumPy array fails.
    """
    if like is not None:
        assert compat.array_namespace(actual) is compat.array_namespace(like)
        assert actual.dtype == like.dtype, f"{actual.dtype} came of {like.dtype}"
        assert compat.device(actual) == compat.device(like)
    expected = numbers(expected) if compat.is_array_api_obj(expected) else np.asarray(expected, dtype=float)
    assert tuple(actual.shape) == expected.shape
    xp = compat.array_namespace(actual)
    eps = float(xp.finfo(actual.dtype).eps)
    np.testing.assert_allclose(numbers(actual), expected, rtol=ulp * eps, atol=ulp * eps * _scale(expected))


def _scale(expected: npt.NDArray[Any]) -> float:
    finite = np.abs(expected[np.isfinite(expected)])
    return min(1.0, float(finite.max())) if finite.size else 1.0


def lengths(table: Any) -> list[list[int]]:
    """Run lengths of each mask, off and on alternating."""
    runs = []
    for (height, width), i, j in zip(table.sizes.tolist(), table.first[:-1], table.first[1:], strict=True):
        edges = [0, *np.stack([table.start[i:j], table.end[i:j]], axis=1).ravel().tolist(), height * width]
        own = np.diff(edges).tolist()
        runs.append(own if own[-1] or len(own) == 1 else own[:-1])
    return runs


def same(a: Any, b: Any) -> bool:
    """Whether tables of masks are equal in all columns."""
    return all(np.array_equal(getattr(a, field), getattr(b, field)) for field in ("sizes", "start", "end", "first"))


def random_boxes(rng: np.random.Generator, *shape: int, dims: int = 2) -> npt.NDArray[Any]:
    """Boxes (*shape, 2 * dims); some are inverted, and some empty."""
    low = rng.uniform(-10, 10, (*shape, dims))
    return np.concatenate([low, low + rng.integers(-1, 8, (*shape, dims))], axis=-1)
