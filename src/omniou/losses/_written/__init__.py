"""Written losses: see `omniou._catalogue.write`."""
