"""What is drawn on images."""
