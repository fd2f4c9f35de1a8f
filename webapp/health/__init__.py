"""Health pages."""
