"""What protocols need beside the texts, one file a need; each registers itself (`plan.protocol_needs`)."""
