"""Charts: described once, drawn as SVG and by matplotlib."""
