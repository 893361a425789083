"""The search finds the page that one means first, from words as people type them, and says it in words one can read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from page_cases import axe_finds_nothing, unfold
from playwright.sync_api import Page, expect

#: What people type, a slip of the finger included, and the page that has to come first.
FIRST = {
    "why_sqrt_dk": [
        "why divide by sqrt(d_k)", "√d", "√dₖ", "why sqrt", "dk", "d_k", "sqrt dk", "why divide", "divide by d_k",
        "Xavier", "muP",
        "scaled dot-product attention", "attention scaling factor", "variance of dot product", "why not divide by d_k",
    ],
    "layer_norm": [
        "layernorm vs batchnorm", "LayerNorm", "layer norm", "layernrom", "layer normalization", "why not batch norm",
        "pre norm or post norm", "pre-LN", "RMSNorm", "warmup",
    ],
    "framework": [
        "self attention", "what is a transformer", "attention is all you need", "causal mask", "cross attention",
        "teacher forcing", "feed forward network", "encoder decoder",
    ],
    "softmax_saturation": [
        "softmax vanishing gradient", "softmax", "soft max", "sofmax", "jacobian of softmax", "temperature",
        "one-hot", "logits",
    ],
    "relative_positions": [
        "positional encoding", "positonal encoding", "rotary", "RoPE", "ALiBi", "why sine and cosine", "word order",
        "permutation equivariant",
    ],
    "weight_tying": ["weight tying", "tied embeddings", "lm head", "shared vocabulary"],
    "multi_head": ["why multiple heads", "heads", "attenton heads", "multi-head attention", "representation subspaces"],
    "head_size": ["head dimension", "d_model/h", "low rank bottleneck", "how many heads"],
    "dropout_sites": ["dropout", "droput", "drop out", "dropout attention", "inverted dropout"],
    "dot_vs_additive": ["additive attention", "Bahdanau", "dot product attention", "why dot product not additive"],
    "qk_weights": ["why are W_Q and W_K different", "can Q and K share weights", "difference between query and key"],
    "no_projections": ["q k v", "what if there are no projections", "why do we need V"],
    "embedding_scale": ["sqrt(d_model)", "why multiply embeddings", "embedding scaling"],
    "advantages": ["transfomer vs rnn", "LSTM", "why is attention quadratic", "path length"],
    "asked_next": [
        "QK-norm", "qk norm", "qknorm", "GQA", "KV cache", "kvcache", "residual", "residual connection", "mask",
        "padding mask", "flash attention", "mixture of experts", "exposure bias", "speculative decoding",
    ],
    "asked": ["中文"], "practice": ["interview questions"], "errata": ["common misconceptions"],
    "notation": ["symbols"],
    "teaching": ["lesson plan"], "sources": ["bibliography"], "accessibility": ["screen reader"],
}  # fmt: skip
#: As people ask in Chinese; the pages are English.
CHINESE = {
    "why_sqrt_dk": ["为什么除以根号d", "缩放点积注意力", "为什么除以√dk"],
    "softmax_saturation": ["softmax梯度消失", "雅可比"],
    "multi_head": ["多头注意力"],
    "layer_norm": ["层归一化", "LN和BN区别"],
    "weight_tying": ["权重共享"],
    "relative_positions": ["位置编码"],
    "framework": ["残差连接"],
    "dropout_sites": ["dropout在哪里"],
    "embedding_scale": ["embedding 乘以根号d"],
    "advantages": ["循环神经网络"],
}
FIRST = {page: [*questions, *CHINESE.get(page, [])] for page, questions in FIRST.items()}
ASKED = {question: page for page, questions in FIRST.items() for question in questions}
OPEN = "dialog.wf-search[open]"
SIZES = {"desk": {"width": 1366, "height": 768}, "phone": {"width": 390, "height": 844}}


def opened(page: Page, key: str = "/") -> Page:
    """The page with its search open, by a key."""
    page.keyboard.press(key)
    page.locator(f"{OPEN} input").wait_for()
    return page


@pytest.fixture(scope="module")
def found(visits, addresses) -> dict[str, list[dict]]:
    """What is found for each question, best first."""
    page = opened(visits.open(addresses["chapters/intro", "file"]))
    questions = list(ASKED)
    return dict(
        zip(
            questions,
            json.loads(page.evaluate("(all) => WhyformerSearch.find(WhyformerPages, all)", questions)),
            strict=True,
        )
    )


@pytest.mark.parametrize("question", ASKED)
def test_the_page_that_one_means_comes_first(question, found):
    pages = [re.split(r"[#/]", one["address"].replace(".html", ""))[1] for one in found[question]]
    assert pages and pages[0] == ASKED[question], pages


def said(pieces: list[dict]) -> str:
    return "".join(piece["text"] for piece in pieces)


def test_a_word_leads_to_its_best_section(found):
    """A card is found by itself, and a word of the glossary leads where its entry does."""
    first = {question: results[0]["address"].split("/")[1] for question, results in found.items()}
    assert first["QK-norm"] == first["qknorm"] == "asked_next.html#card-qk-norm"
    assert first["mask"] == "asked_next.html#card-causal-mask"
    assert first["muP"] == "why_sqrt_dk.html#what-training-does-to-it"
    assert first["drop out"] == first["dropout"] == "dropout_sites.html#say-it"


def test_a_whole_question_leads_to_its_answer(found):
    assert found["why divide by sqrt(d_k)"][0]["address"] == "chapters/why_sqrt_dk.html#say-it"
    assert found["layernorm vs batchnorm"][0]["address"] == "chapters/layer_norm.html#say-it"


def test_excerpts_are_text_without_code_checks_and_sources_of_formulas(found):
    excerpts = [said(one["excerpt"]) for results in found.values() for one in results]
    assert len([text for text in excerpts if text]) > 0.8 * len(excerpts) > 300
    for text in excerpts:
        assert not re.search(r"\\[a-z]|[{}$✓]|Check:|import |Read before", text), text
        assert len(text) < 210, text


def test_the_words_of_the_question_are_marked(found):
    marked = [piece["text"] for piece in found["layernrom"][0]["excerpt"] if piece["is_marked"]]
    assert marked and set(marked) == {"LayerNorm"}
    marked = [piece["text"] for piece in found["why divide by sqrt(d_k)"][0]["title"] if piece["is_marked"]]
    assert marked == ["divide", "dₖ"]


def test_every_result_leads_to_a_place_that_is_there(found, book_html: Path) -> None:
    for address in {one["address"] for results in found.values() for one in results}:
        page, _, anchor = address.partition("#")
        assert not anchor or f'id="{anchor}"' in (book_html / page).read_text(encoding="utf-8"), address


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_keys_alone_lead_to_a_section(scheme, visit, addresses):
    page = opened(visit(addresses["chapters/framework", scheme]), "Control+k")
    page.keyboard.type("layernorm vs batchnorm")
    results, active = page.locator(f"{OPEN} [role=option]"), f"{OPEN} [aria-selected=true]"
    expect(results.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(results.nth(1)).to_have_attribute("aria-selected", "true")
    expect(page.locator(f"{OPEN} input")).to_have_attribute("aria-activedescendant", "wf-found-1")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert results.last.get_attribute("aria-selected") == "true", "it goes round"
    page.keyboard.press("ArrowDown")
    expect(page.locator(active)).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/chapters/layer_norm\.html#say-it$"))


def test_the_button_opens_it_and_escape_gives_the_page_back(visit, addresses):
    page = visit(addresses["chapters/intro", "file"], viewport=SIZES["desk"])
    button = page.locator(".search-button__button:visible").first
    button.click()
    field = page.locator(f"{OPEN} input")
    field.fill("dropout")
    expect(page.locator(f"{OPEN} [role=option]").first).to_contain_text("dropout")
    page.keyboard.press("Escape")
    expect(page.locator(OPEN)).to_have_count(0)
    opened(page)
    assert field.input_value() == "dropout" and page.evaluate("getSelection().toString()") == "dropout"
    page.get_by_role("button", name="Close").click()
    expect(page.locator(OPEN)).to_have_count(0)


def test_a_slash_in_a_field_is_a_slash(visit, addresses):
    page = visit(addresses["chapters/softmax_saturation", "http"])
    unfold(page)
    page.locator("whyformer-exercise input").first.focus()
    page.keyboard.type("1/2")
    page.wait_for_timeout(0)
    assert page.locator("dialog.wf-search").count() == 0


def test_nothing_found_says_what_to_try_and_reads_no_markup(visit, addresses):
    page = opened(visit(addresses["chapters/intro", "file"]))
    dialog = page.locator(OPEN)
    page.keyboard.type("<img src=x onerror=fail()> attention")
    expect(dialog.locator("[role=option] mark").first).to_be_visible()
    assert dialog.locator("img").count() == 0
    dialog.locator("input").fill("zzzzqqqq")
    expect(dialog.get_by_role("status")).to_contain_text("Nothing found")
    assert dialog.locator("[role=option]").count() == 0
    dialog.get_by_role("button", name="positional encoding").click()
    expect(dialog.locator("[role=option] b").first).to_have_text("How does attention know how far apart two words are?")


def test_within_the_open_page_it_goes_to_the_section(visit, addresses):
    page = opened(visit(addresses["chapters/layer_norm", "http"]))
    page.keyboard.type("layernorm vs batchnorm")
    page.locator(f"{OPEN} [role=option]").first.click()
    expect(page.locator(OPEN)).to_have_count(0)
    assert page.url.endswith("layer_norm.html#say-it")
    expect(page.locator("#short-answer")).to_be_in_viewport()


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_the_page_of_the_search_keeps_its_address(scheme, visit, addresses):
    address = addresses["chapters/intro", scheme].replace("chapters/intro", "search")
    page = visit(f"{address}?q=why+divide+by+sqrt(d_k)")
    first = page.locator("[role=option]").first
    expect(first).to_contain_text("Why divide by √dₖ?")
    page.locator("input[type=search]").fill("rope")
    expect(first).to_contain_text("how far apart")
    page.reload()
    expect(first).to_contain_text("how far apart")
    page.keyboard.press("Control+k")
    assert page.locator("dialog.wf-search").count() == 0


@pytest.mark.parametrize(("size", "scheme"), [("desk", "light"), ("phone", "dark")])
def test_it_fits_and_axe_finds_nothing(size, scheme, visit, addresses):
    page = opened(visit(addresses["chapters/intro", "http"], viewport=SIZES[size], color_scheme=scheme))
    axe_finds_nothing(page, scheme)
    page.keyboard.type("attention")
    box = page.locator(OPEN).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= SIZES[size]["width"] and box["height"] <= SIZES[size]["height"]
    assert page.evaluate(
        "document.querySelector('#wf-found').scrollWidth <= document.querySelector('#wf-found').clientWidth"
    )
    axe_finds_nothing(page, scheme)


def test_no_page_loads_the_search_before_it_is_opened(visit, addresses):
    page = visit(addresses["chapters/intro", "http"])
    loaded = "performance.getEntriesByType('resource').map((one) => one.name).filter((name) => /search[.-]/.test(name))"
    assert [name.split("/")[-1].split("?")[0] for name in page.evaluate(loaded)] == ["search-button.js"]
    names = {name.split("/")[-1].split("?")[0] for name in opened(page).evaluate(loaded)}
    assert names == {"search-button.js", "search.js", "search.css", "search-pages.js"}
    assert page.evaluate("document.querySelectorAll('script[src*=searchtools], script[src*=searchindex]').length") == 0
