"""What campaigns have measured, as chapters show it: beside what was published."""
