"""The public API: what `import judgelab as jl` offers."""
