"""What a published report comes to: read from its PDF, graded, and held to itself."""
