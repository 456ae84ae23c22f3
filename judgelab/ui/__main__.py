"""`python -m judgelab.ui run app.py …`: `streamlit run app.py …`, that starts in four fifths of the time."""

from judgelab import loading

loading.begin()  # `app.py` tells when it is loaded

from streamlit.web.cli import main  # noqa: E402

main(prog_name="streamlit")
