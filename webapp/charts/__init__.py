"""Charts: Altair specifications rendered to SVG and PNG on the server."""
