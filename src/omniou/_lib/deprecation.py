"""The warning of a deprecated name. docs/stability.md says how long the name lives."""

import sys
import warnings

__all__ = ["warn"]

# Frames of these packages lie between a user's line and the warning; importlib's, where a module is deprecated.
_INSIDE = {"omniou", "omniou_integrations", "importlib"}


def warn(name: str, *, instead: str, since: str, until: str) -> None:
    """Warn that a function, an argument or a module is deprecated, at the line outside omniou that uses it.

    Called first in the function, where the argument is given, or in the body of the module. Python's default filter
    shows the warning once for each line of a script.
    """
    frame = sys._getframe(1)  # noqa: SLF001
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] in _INSIDE:
        frame = frame.f_back
    warnings.warn_explicit(
        f"{name} is deprecated since {since} and will be removed in {until}: use {instead}",
        DeprecationWarning,
        filename=frame.f_code.co_filename,
        lineno=frame.f_lineno,
        module=frame.f_globals.get("__name__"),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )
