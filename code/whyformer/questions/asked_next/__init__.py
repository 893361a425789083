"""What interviews ask next: cards on the rest of the Transformer."""
