"""The ballot, the vote, the reveal and what a voter may add."""
