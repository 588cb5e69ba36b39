"""Names of all formats of tracks, without their readers."""

# In the order of preference, where a line fits several.
TRACK_FORMATS = ("mot", "kitti", "mots", "scalabel")
"""Names of all formats of tracks."""
