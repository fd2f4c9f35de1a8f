"""The Atom feed."""
