"""Make HTML pages."""
