"""Send numbers, figures and boxes to loggers."""
