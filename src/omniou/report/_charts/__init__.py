"""Draw charts, which are described once, as SVG and by matplotlib."""
