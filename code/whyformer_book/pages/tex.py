r"""Short formulas as one types them in a line, ``q^\top k_j`` as qᵀkⱼ. What cannot be typed so has no such form."""

from __future__ import annotations

import re

NAMES = "alpha beta gamma delta epsilon varepsilon eta theta lambda mu pi rho sigma tau phi varphi chi"
GREEK = dict(zip(NAMES.split(), "αβγδεεηθλμπρστφφχ", strict=True))
SIGNS = GREEK | {
    "top": "^T", "cdot": "·", "times": "×", "dots": "…", "ldots": "…", "cdots": "…", "le": "≤", "leq": "≤", "ge": "≥",
    "geq": "≥", "approx": "≈", "sim": "∼", "pm": "±", "to": "→", "infty": "∞", "sum": "∑", "in": "∈", "ne": "≠",
    "neq": "≠", "ll": "≪", "gg": "≫", "quad": " ", "partial": "∂", "lVert": "‖", "rVert": "‖", "Sigma": "Σ",
    "Delta": "Δ", "E": "E", "R": "ℝ", "Var": "Var", "Cov": "Cov", "softmax": "softmax", "diag": "diag", "tr": "tr",
    "exp": "exp", "log": "log", "ln": "ln", "max": "max", "min": "min", "sin": "sin", "cos": "cos", "tanh": "tanh",
    "propto": "∝", "odot": "⊙", "circ": "∘", "prime": "′", "mid": "|",
}  # fmt: skip
LOW = dict(zip("0123456789aehijklmnoprstuvx+-=()", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₊₋₌₍₎", strict=True))
HIGH = dict(zip("0123456789nijT+-=()", "⁰¹²³⁴⁵⁶⁷⁸⁹ⁿⁱʲᵀ⁺⁻⁼⁽⁾", strict=True))
PLAIN = r"\\(?:text|operatorname|mathbb|mathrm|mathbf|mathcal|boldsymbol)\s*\{([^{}]*)\}"


def _script(found: re.Match[str]) -> str:
    text = found[2] or found[3]
    table = LOW if found[1] == "_" else HIGH
    if all(letter in table for letter in text):
        return "".join(table[letter] for letter in text)
    return f"_{text}" if found[1] == "_" and re.fullmatch(r"[^\W_]+", text) else found[0]


def spoken(tex: str) -> str:
    """A formula in letters, or nothing if it has no such form."""
    text = re.sub(r"\\(?:left|right|bigl|bigr|big|!)", "", tex)
    text = re.sub(r"\\[,;: ]", " ", text)
    text = re.sub(PLAIN, r"\1", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: SIGNS.get(m[1], m[0]), text)
    text = re.sub(r"([_^])(?:\{([^{}]*)\}|(.))", _script, text)
    text = re.sub(r"\\sqrt ?(?:\{([^{}]*)\}|(\w))", lambda m: "√" + (m[1] or m[2]), text)
    text = re.sub(r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", text)
    text = text.replace(r"\%", "%").replace(r"\|", "‖").replace("~", " ")
    return "" if re.search(r"[\\{}^&]", text) else re.sub(r"\s+", " ", text).replace("-", "−").strip()


_FRACTION = re.compile(r"\\[td]?frac(?:\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}|(\d)(\d))")
_STYLE = re.compile(r"\\(?:text|mathrm|operatorname|mathbb|mathbf|mathcal)(?![A-Za-z])")
_SIGNS = {
    "sqrt": "√", "pm": "±", "times": "×", "cdot": "·", "approx": "≈", "le": "≤", "ge": "≥", "ne": "≠", "infty": "∞",
    "to": "→", "top": "ᵀ", "partial": "∂", "sum": "Σ", "ldots": "...", "dots": "...", "in": "∈",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "epsilon": "ε", "varepsilon": "ε",
    "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "Sigma": "Σ", "tau": "τ", "theta": "θ",
    "left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "", "quad": "", "qquad": "",
}  # fmt: skip


def tex_in_letters(tex: str) -> str:
    r"""A formula as one would type it: ``\sqrt{d_k}`` is √d_k."""
    tex = _STYLE.sub("", _FRACTION.sub(lambda match: f"{match[1] or match[3]}/{match[2] or match[4]}", tex))
    tex = re.sub(r"\\([A-Za-z]+)", lambda match: _SIGNS.get(match[1], match[1]), tex)
    return re.sub(r"\\[,;:! ]|[{}$\\~]", "", tex).replace("^ᵀ", "ᵀ")
