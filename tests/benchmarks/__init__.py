"""Benchmarks of time and memory against other libraries: `nox -s bench`."""
