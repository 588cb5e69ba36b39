"""What is tested and timed on a GPU: `python -m tests.cuda`."""
