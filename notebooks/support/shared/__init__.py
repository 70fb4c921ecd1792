"""What two or three chapters share."""
