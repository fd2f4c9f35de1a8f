"""The test suite; tests mirror the source, and fixtures/ holds what several folders share."""
