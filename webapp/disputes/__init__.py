"""Disputes as voters and everybody see them."""
