"""What the pages of the methods and of the wizard are made of."""
