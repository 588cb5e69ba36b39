"""Print records as text, CSV, Markdown, JUnit's XML and LaTeX."""
