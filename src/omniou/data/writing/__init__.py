"""Write a ground truth, or detections in one, in another format: one function of the content for each format.

Imports the modules above it in `omniou.data`, and `formats`.
"""

from omniou.data.writing._writers import WRITERS, Writer, write_detections, write_ground_truth

__all__ = ["WRITERS", "Writer", "write_detections", "write_ground_truth"]
