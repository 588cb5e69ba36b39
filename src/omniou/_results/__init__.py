"""What every evaluation's result is made of: units that are drawn again and exchanged, intervals, comparisons."""
