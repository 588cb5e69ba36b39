"""Formats of tracks: one module each, which declares one `FORMAT`; the sequences and frames of both sides.

`omniou.data.tracks` is the public module. The names of the formats are here, without the readers: the command line
needs no more.
"""

# In the order of preference, where a line fits several.
TRACK_FORMATS = ("mot", "kitti", "mots", "scalabel")
"""Names of all formats of tracks."""
