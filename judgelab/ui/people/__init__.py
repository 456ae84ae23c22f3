"""The page *People*: members, erasing, recruitment links."""
