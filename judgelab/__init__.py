"""JudgeLab: can this LLM judge be trusted in place of my human raters?"""

__version__ = "0.1.0"
