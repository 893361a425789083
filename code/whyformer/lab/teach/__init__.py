"""What asks and checks: predictions and exercises."""
