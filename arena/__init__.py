"""The blind vote arena: catalogue, ballots, votes, boards, months, moderation."""
