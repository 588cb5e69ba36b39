"""Modules with the names and calls of pycocotools, computed by omniou."""

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
