"""People who join through a recruitment link: managing links, joining, leaving, paying."""
