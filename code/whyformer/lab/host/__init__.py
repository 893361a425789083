"""Where labs live: pages, Jupyter, and pictures without either."""
