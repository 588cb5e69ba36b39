"""How fast and how lean, against the peers, in one run: `nox -s bench`."""
