"""The page *People*: members, erasure, recruitment links."""
