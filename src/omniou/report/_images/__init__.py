"""Draw objects and detections on images."""
