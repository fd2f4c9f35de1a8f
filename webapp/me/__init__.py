"""Me pages."""
