"""The errata: claims that are passed on, and what is right."""
