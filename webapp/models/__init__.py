"""The public register of models, and a page for each."""
