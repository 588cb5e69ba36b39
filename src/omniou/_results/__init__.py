"""The base of all results: numbers, rows, how both are shown, units, intervals and comparisons."""
