"""The face: HTTP, command line and worker; nothing is decided here."""
