"""Formats of files: one module each, which declares one `FORMAT`; modules with an underscore are shared by them.

Imports the modules above it in `omniou.data`, and no other folder.
"""

from omniou.data.formats._declared import FORMATS, Fields, Format, Reader, declared, every

__all__ = ["FORMATS", "Fields", "Format", "Reader", "declared", "every"]
