"""How well a tracker follows objects."""

from typing import TYPE_CHECKING

from omniou._lib import near

if TYPE_CHECKING:
    from omniou.tracking import single, video_objects

__all__ = ["single", "video_objects"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__, {"single": "single", "video_objects": "video_objects"})
