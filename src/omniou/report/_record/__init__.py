"""The record of an evaluation: its fields, its analyses, its tables, and its JSON."""
