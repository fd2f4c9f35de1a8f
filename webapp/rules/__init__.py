"""Rules explained: formulas with their numbers, and an example to try."""
