"""Parts that several pages show: choices, downloads, findings, job controls."""
