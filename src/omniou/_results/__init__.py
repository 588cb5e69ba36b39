"""What all results of evaluations share: numbers by name, rows of them, and how both are shown."""
