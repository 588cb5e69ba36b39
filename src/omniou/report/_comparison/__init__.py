"""Compare models: differences, their intervals and p-values, charts and images."""
