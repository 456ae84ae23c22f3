"""`python -m judgelab.ui run app.py …`: `streamlit run app.py …`, that starts in four fifths of the time."""

from judgelab import startup

if __name__ == "__main__":
    startup.begin()  # `app.py` tells when it is loaded

    from streamlit.web.cli import main

    main(prog_name="streamlit")
