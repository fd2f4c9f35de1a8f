"""The moderators' rooms: sign-in, account, cases, decisions, audit, influence, operations."""
