"""Damaged files and random options for every command: what comes of them is a result or an error of one line."""
