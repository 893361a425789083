"""Screenshots of every page and every lab, for somebody to look at: ``make shots``. Written to ``_build/shots``."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parent.parent
SITE = ROOT / "_build" / "html"
OUT = ROOT / "_build" / "shots"

LOOKS = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "color_scheme": "light", "device_scale_factor": 2},
    "projector": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
}

# States worth a look beside the default: both ends of the controls, and the presets.
STATES = {
    "why_sqrt_dk/scale": {
        "one_key_of_each_kind": {"d_k": 1, "n_keys": 2},
        "largest": {"d_k": 4096, "n_keys": 64, "quantity": "gradient_w_q"},
        "correlated": {"d_k": 512, "rho": 0.5, "quantity": "largest_weight"},
        "all_correlated": {"d_k": 4096, "rho": 0.9, "related": "all", "quantity": "entropy"},
        "by_d_k": {"divisor": "d_k", "quantity": "gradient_q"},
    },
    "why_sqrt_dk/sampling": {
        "short": {"d_k": 1},
        "coins": {"d_k": 256, "distribution": "bernoulli", "n_pairs": 100_000},
        "signs": {"d_k": 4, "distribution": "sign"},
    },
    "softmax_saturation/saturation": {
        "tied": {"logits": [8, 8, 1, -1, 0]},
        "twelve": {"logits": [10, -10, 3, 2, 1, 0, -1, -2, -3, 5, 6, 7], "temperature": 5, "upstream": "alternate"},
        "two": {"logits": [0, 0], "upstream": "second", "offset": 1000},
    },
    "why_sqrt_dk/trained_scores": {
        "flat": {"power": 1},
        "switch": {"layer": 1, "head": 3, "power": 0.5},
        "short": {"text": "boy", "layer": 6, "head": 5, "power": 1},
    },
    "why_sqrt_dk/training": {
        "gradient": {"quantity": "gradient", "d_k": 512, "rate": "0.01"},
        "rows": {"quantity": "entropy"},
    },
    "framework/assembly": {
        "long": {"block": "self_attention", "n_tokens": 16384, "n_heads": 12},
        "encoder": {"kind": "encoder", "block": "positions"},
        "decoder": {"kind": "decoder", "block": "output", "n_tokens": 1, "n_layers": 48},
    },
    "framework/wiring": {
        "late": {"mask": "late"},
        "both_wrong": {"mask": "none", "memory": "decoder", "position": 5, "changed": 1},
    },
    "dot_vs_additive/spread": {
        "calm": {"start": "fan_in", "d_k": 64},
        "loud": {"size_q": 4, "size_k": 4},
        "faint": {"size_q": 0.25, "size_k": 0.25, "d_k": 16, "start": "fan_in"},
    },
    "dot_vs_additive/cost": {"small": {"n": 32, "d_k": 16}, "middle": {"n": 128, "d_k": 32}},
    "head_size/budget": {
        "clock": {"gain": 256},
        "three": {"pattern": "three", "gain": 1024},
        "full": {"width": "full", "pattern": "blocks", "heads": 64},
        "one": {"heads": 1, "pattern": "previous"},
    },
    "weight_tying/rows": {
        "one_length": {"rows": "one"},
        "inside": {"lengths": [1.3, 2.5, 2.2, 0.6, 0.6], "angles": [-60, 30, 140, 70, 70]},
        "small": {"lengths": [0, 0.1, 0.1, 0, 0]},
        "long": {"lengths": [3, 3, 3, 3, 3], "angles": [-60, 30, 140, 70, 70]},
    },
    "relative_positions/clocks": {
        "rotary": {"scheme": "rotary", "position": 19, "distance": 12},
        "words": {"scheme": "full", "position": 10},
        "alone": {"scheme": "bare", "distance": 0},
    },
    "relative_positions/distance": {
        "squeezed": {"beyond": "squeezed", "length": 32},
        "window": {"wish": "window", "length": 256},
        "held": {"wish": "recent", "held": "much", "length": 64},
    },
    "dropout_sites/rely": {"shared": {"p": 0.3}, "fresh": {"examples": "fresh", "p": 0.5}, "wild": {"seed": 3}},
    "dropout_sites/sites": {
        "paper": {"embedding": "yes", "attention": "yes", "attention_out": "yes", "hidden": "yes", "source": "paper"},
        "outside": {"embedding": "yes", "stream": "yes", "source": "torch"},
    },
    "layer_norm/normalisation": {
        "layer": {"norm": "layer", "which": "B", "position": 1},
        "padding": {"padding": "counted", "padded_to": 6, "first": "dogs"},
        "alone": {"batch": 1, "which": "D", "position": 5},
    },
    "layer_norm/placement": {"shallow": {"n_layers": 1}, "stream": {"quantity": "stream", "n_layers": 16}},
    "qk_weights/each_other": {
        "two": {"matrices": "two"},
        "thick": {"length_it": 4, "length_cat": 4, "angle": 0, "matrices": "two"},
        "opposed": {"length_it": 0, "length_cat": 4, "angle": 180},
    },
    "qk_weights/real_heads": {
        "symmetric": {"blend": 1},
        "most_symmetric": {"layer": 3, "head": 10, "text": "root"},
    },
    "multi_head/two_wishes": {
        "all_on_cat": {"first": 0},
        "equal_blends": {"heads": "two", "first": 30, "second": 30},
        "far_apart_factors": {"heads": "two", "first": 49, "second": 50},
        "half_size_both_whole": {"heads": "half", "first": 5, "second": 95},
    },
    "no_projections/plane": {
        "equal": {"lengths": [1.6, 1.6, 1.6, 1.6]},
        "all_look_at_one": {"lengths": [0.5, 2.8, 0.6, 0.7], "angles": [5, 40, 75, 100]},
        "collapsed": {"rounds": 20, "divisor": 5},
    },
    "advantages/layers": {
        "short": {"n": 16, "d": 4096, "count": "lstm"},
        "long": {"n": 65536, "d": 64, "count": "simple", "kernel": 9, "window": 1024},
    },
    "advantages/path": {
        "nothing": {"scale": 0.5},
        "everything": {"scale": 1.8, "unit": "none"},
        "gated": {"gate": 0.99, "lead": 10, "matrix": "rotation"},
    },
    "embedding_scale/balance": {
        "spread_one": {"spread": "one", "multiplier": "on"},
        "learned": {"multiplier": "off", "positions": "learned", "spread": "small", "norm": "on", "d_model": 128},
        "on": {"multiplier": "on", "d_model": 1024, "norm": "on"},
    },
    "embedding_scale/two_uses": {
        "one": {"spread": "one", "d_model": 1024},
        "both": {"into": "root", "out": "root", "spread": "small", "d_model": 64},
    },
    "softmax_saturation/gap": {"start": {"a": 0}, "end": {"a": 12}},
}


def settle(page: Page) -> None:
    """Every lab has started, from the reader's first move on."""
    page.evaluate("dispatchEvent(new Event('scroll'))")
    page.wait_for_function("!document.querySelector('whyformer-lab:not([alive])')")
    page.wait_for_timeout(400)
    page.evaluate("document.activeElement?.blur()")


def take(browser: Browser, look: str) -> int:
    count = 0
    context = browser.new_context(**LOOKS[look])
    for path in sorted(SITE.glob("chapters/*.html")):
        page = context.new_page()
        page.goto(path.as_uri() + ("?projector" if look == "projector" else ""))
        page.wait_for_timeout(400)
        page.screenshot(path=OUT / f"{path.stem}-{look}-first.png")
        settle(page)
        page.screenshot(path=OUT / f"{path.stem}-{look}-whole.png", full_page=True)
        count += 2
        # What floats over a tall lab is not part of its picture.
        page.add_style_tag(content="#pst-skip-link, .bd-header-article { display: none !important }")
        for lab in page.query_selector_all("whyformer-lab"):
            name = lab.get_attribute("name")
            stem = f"{name.replace('/', '-')}-{lab.get_attribute('size')}-{look}"
            lab.screenshot(path=OUT / f"{stem}.png")
            count += 1
            if lab.get_attribute("size") == "small":
                continue
            for state, values in STATES.get(name, {}).items():
                lab.evaluate("(lab, values) => { lab.reset(); lab.set(values); }", values)
                lab.screenshot(path=OUT / f"{stem}-{state}.png")
                count += 1
        page.close()
    context.close()
    return count


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.png"):
        old.unlink()
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for look in LOOKS:
            print(f"{look}: {take(browser, look)} pictures", flush=True)
        browser.close()
    print(f"wrote {OUT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
