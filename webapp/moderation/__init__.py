"""The moderators' rooms: sign-in, account, queue, cases, votes, decisions, audit log."""
