"""Text, CSV, Markdown, JUnit's XML, LaTeX."""
