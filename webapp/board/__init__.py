"""Board pages."""
