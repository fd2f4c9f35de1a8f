"""Log pages."""
