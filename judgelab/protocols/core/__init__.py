"""What every protocol is made of: its contract, calls, prompts, options, aggregation."""
