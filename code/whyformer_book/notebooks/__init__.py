"""The pages as notebooks, and what the site offers to take away."""
