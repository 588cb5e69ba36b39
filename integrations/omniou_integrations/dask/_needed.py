"""Imported before anything of Dask: names the extra where it is missing."""

from omniou._lib import extras

extras.check("distributed", "omniou_integrations.dask")
