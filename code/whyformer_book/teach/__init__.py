"""Lessons, handouts, editions, and the book served to a room."""
