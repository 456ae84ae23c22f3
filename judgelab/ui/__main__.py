"""`python -m judgelab.ui run app.py …`: `streamlit run app.py …`, that starts in four fifths of the time."""

from judgelab import startup

if __name__ == "__main__":
    startup.pause_gc()  # `app.py` tells when it is loaded

    from judgelab.ui.kit.streamlit_internals import run_command_line

    run_command_line()
