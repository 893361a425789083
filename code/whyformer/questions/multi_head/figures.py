"""Still figures of the chapter."""

from __future__ import annotations

from whyformer.lab.theme import PEN, StillFigure, figure_style

#: Vaswani et al. 2017, table 3, base model and rows (A): heads, BLEU on the development set; d_k = d_v = 512 / heads.
ABLATION = {1: 24.9, 4: 25.5, 8: 25.8, 16: 25.8, 32: 25.4}


def ablation() -> StillFigure:
    """BLEU over the number of heads at constant width and work, as the paper's table 3 has it."""
    with figure_style():
        figure = StillFigure(figsize=(5.4, 2.7), layout="constrained")
        axis = figure.subplots()
        axis.plot(list(ABLATION), list(ABLATION.values()), "o-", color=PEN)
        for heads, bleu in ABLATION.items():
            axis.annotate(
                f"{bleu}" + " (base)" * (heads == 8),
                (heads, bleu),
                (0, 7),
                textcoords="offset points",
                ha="center",
                fontsize=9.5,
            )
        axis.set_xscale("log", base=2)
        axis.set(xlabel="heads (below: dₖ)", ylabel="BLEU, newstest2013", ylim=(24.5, 26.2))
        axis.set_xticks(list(ABLATION), [f"{heads}\n({512 // heads})" for heads in ABLATION])
        axis.set_yticks([24.5, 25, 25.5, 26], ["24.5", "25.0", "25.5", "26.0"])
        axis.minorticks_off()
        figure.canvas.draw()
    return figure
