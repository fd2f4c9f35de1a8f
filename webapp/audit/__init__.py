"""The audit log as everybody sees it."""
