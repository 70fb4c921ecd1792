"""What the chapter on appliance models needs of its own."""
