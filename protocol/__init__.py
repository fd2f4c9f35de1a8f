"""The evidence comparison by eight roles, with versioned rulebooks and records."""
