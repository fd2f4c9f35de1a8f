"""Pages pages."""
