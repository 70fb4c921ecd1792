"""Long attacks on the product: kills, changed bytes, full disks."""
