"""The first page: what is said of its picture."""
