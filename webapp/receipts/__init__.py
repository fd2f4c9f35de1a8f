"""Receipts pages."""
