"""What goes to loggers: numbers, figures, boxes."""
