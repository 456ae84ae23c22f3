"""Results as plotly figures; no Streamlit, no store."""
