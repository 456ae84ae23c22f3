"""The pages of the site that are written from the code, so that they cannot lag behind it."""
