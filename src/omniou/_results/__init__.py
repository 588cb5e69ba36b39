"""What every result of an evaluation has: numbers, rows, how both are shown, units, intervals and comparisons."""
