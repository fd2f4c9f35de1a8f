"""Attacks on the arena: bots against simulated voters who are fitted to real votes."""
