"""The pages that explain the statistics: their examples, and the pictures drawn from them."""
