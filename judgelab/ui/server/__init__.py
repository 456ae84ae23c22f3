"""Our own routes beside Streamlit's, and what every request passes through."""
