"""The public API: what `import judgelab as jl` offers."""

import logging

# Results and errors say what the app logs; Python would print it into notebooks if there were no handler.
logging.getLogger("judgelab").addHandler(logging.NullHandler())
