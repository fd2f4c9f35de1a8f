"""Tests for votes that need a person's look: pure functions from evidence to findings."""
