"""What asks and checks: predictions, exercises, vouchers for printed numbers."""
