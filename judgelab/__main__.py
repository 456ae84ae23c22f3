"""`python -m judgelab` is the command `judgelab`."""

from judgelab.cli import main

main()
