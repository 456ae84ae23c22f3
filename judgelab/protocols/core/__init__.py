"""The building blocks of every protocol: its contract, calls, prompts, options, aggregation."""
