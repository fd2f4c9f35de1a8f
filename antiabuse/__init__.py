"""Who may vote, and how much a vote weighs."""
