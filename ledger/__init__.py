"""The append-only event log: append, sequence, prove, verify; and the database set-up."""
