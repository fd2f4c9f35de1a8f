"""Pure access to models: requests, responses and errors without database or web."""
