"""What the pages share; the only Streamlit in the package."""
