"""Formulas, from arrays to arrays: every library and compiler runs the same lines.

The rules of a kernel: arrays first, `xp` last and keyword-only; no checks, no defaults, no names of libraries;
`if` looks at shapes and options, never at values; so the same lines are traced, differentiated and compiled.
Maxima and minima of corners share the gradient of a tie between both sides, and every quotient is guarded.
"""
