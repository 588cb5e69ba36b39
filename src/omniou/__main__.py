"""`python -m omniou` is the command `omniou`."""

from omniou.cli import main

main()
