"""Make the type of book and labs from Source Sans 3, and the table of its widths.

    npm pack source-sans@3.52.0 && tar xzf source-sans-3.52.0.tgz
    pip install fonttools==4.68.0 brotli==1.2.1
    python code/type/subset.py package/TTF

Source Sans 3 (Paul D. Hunt, Adobe, SIL Open Font Licence 1.1; LICENSE.md beside the fonts) reserves its name for
itself unchanged.
What is made here is called Whyformer Sans: fewer characters, digits of one width, and a lowered k, which the original
lacks. In W_Q or d_model it shows what follows the underscore lowered; the text keeps it, to be copied, and for other
fonts. Nothing else is changed. Widths are what a label needs where there is no page to measure
it in.
"""

import base64
import json
import sys
from pathlib import Path

from fontTools import subset
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

HERE = Path(__file__).parent
LAB = HERE.parent / "whyformer/lab/picture"
FACES = {"400": (400, "normal", "Regular"), "600": (600, "normal", "Semibold"), "400i": (400, "italic", "It")}
LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x391, 0x3CA)]
OTHERS = "̂ᵀ–—‘’“”…‹›‰′″⁰⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ₀₁₂₃₄₅₆₇₈₉₊₋ₙ←↑→↓∂Δ∏∑−√∞∫≈≠≤≥⋅✓✗"
LOWERED_K = 0x2096
LOWERED = ("Q", "K", "V", "O", "model", "ff")  # after an underscore
FACE = """@font-face {
  font-family: "Whyformer Sans";
  font-weight: %d;
  font-style: %s;
  font-display: swap;
  src: url("%s") format("woff2");
}
"""

#: What a page's text is set in. A font that comes late would move lines that are read already, so text that was set in
#: a font of the reader's own stays so until the next page; pictures, in which nothing moves, change at once. That font
#: is shown at the size at which English takes as much room: 0.420 em a letter, against 0.444 in Arial.
NEARLY = """@font-face {
  font-family: "Nearly Whyformer Sans";
  src: local("Arial"), local("Liberation Sans"), local("Helvetica"), local("Roboto");
  size-adjust: 94.5%;
  ascent-override: 105.8%;
  descent-override: 34.5%;
  line-gap-override: 0%;
}
"""


def lowered(font: TTFont, letters: str, name: str) -> None:
    """A glyph made of letters by the size and the drop of the lowered digits."""
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    size = font["glyf"][names[ord("₂")]].yMax - font["glyf"][names[ord("₂")]].yMin
    scale = size / (font["glyf"][names[ord("2")]].yMax - font["glyf"][names[ord("2")]].yMin)
    drop = font["glyf"][names[ord("₂")]].yMin
    pen, at = TTGlyphPen(glyphs), 0
    for letter in letters:
        glyphs[names[ord(letter)]].draw(TransformPen(pen, (scale, 0, 0, scale, at, drop)))
        at += round(scale * font["hmtx"][names[ord(letter)]][0])
    font["glyf"][name] = pen.glyph()
    font["hmtx"][name] = (at, round(scale * font["hmtx"][names[ord(letters[0])]][1]))


def lowered_letters(font: TTFont) -> None:
    """U+2096, a lowered k; and for each of ``LOWERED`` one glyph that stands in its place and that of an underscore."""
    lowered(font, "k", "uni2096")
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[LOWERED_K] = "uni2096"
    for letters in LOWERED:
        lowered(font, letters, f"lowered.{letters}")
    font.setGlyphOrder(font["glyf"].glyphOrder)
    rules = [f"sub underscore {' '.join(letters)} by lowered.{letters};" for letters in LOWERED]
    addOpenTypeFeaturesFromString(font, f"feature liga {{ {' '.join(rules)} }} liga;", tables=["GSUB"])


def tabular(font: TTFont) -> None:
    """Digits of one width, so that a number that changes does not shift its neighbours."""
    names = font.getBestCmap()
    for lookup in (
        r.Feature.LookupListIndex for r in font["GSUB"].table.FeatureList.FeatureRecord if r.FeatureTag == "tnum"
    ):
        for index in lookup:
            for part in font["GSUB"].table.LookupList.Lookup[index].SubTable:
                mapping = getattr(getattr(part, "ExtSubTable", part), "mapping", {})
                for digit in "0123456789":
                    other = mapping.get(names[ord(digit)])
                    for table in font["cmap"].tables:
                        if other and table.isUnicode():
                            table.cmap[ord(digit)] = other


def make(source: Path, name: str) -> tuple[bytes, dict[str, int]]:
    """The font as WOFF2, and the width of each of its characters in thousandths of its size."""
    font = TTFont(source)
    tabular(font)
    lowered_letters(font)
    options = subset.Options(
        layout_features=["liga"], hinting=False, name_IDs=[0, 1, 2, 4, 6, 13, 14], notdef_outline=True
    )
    options.flavor = "woff2"
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[*LATIN, *map(ord, OTHERS), LOWERED_K])
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 4, 6):
            record.string = "WhyformerSans" if record.nameID == 6 else "Whyformer Sans"
    units = font["head"].unitsPerEm
    widths = {
        chr(code): round(1000 * font["hmtx"][name][0] / units) for code, name in sorted(font.getBestCmap().items())
    } | {f"_{letters}": round(1000 * font["hmtx"][f"lowered.{letters}"][0] / units) for letters in LOWERED}
    font.flavor = "woff2"
    out = LAB / f"type/whyformer-sans-{name}.woff2"
    font.save(out)
    return out.read_bytes(), widths


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def main() -> None:
    """Write the fonts, the style that names them, and the table of widths."""
    folder = Path(sys.argv[1])
    made = {name: make(folder / f"SourceSans3-{file}.ttf", name) for name, (_, _, file) in FACES.items()}
    inline = [FACE % (*FACES[name][:2], f"data:font/woff2;base64,{_base64(made[name][0])}") for name in ("400", "600")]
    linked = [FACE % (weight, slant, f"type/whyformer-sans-{name}.woff2") for name, (weight, slant, _) in FACES.items()]
    text = [face.replace("Sans", "Text").replace("swap", "optional") for face in linked]
    for file, faces in (
        ("type.css", inline),
        ("type-of-pages.css", [*linked, *text, NEARLY]),
    ):  # pictures have no italics
        (LAB / file).write_text("/* Written by code/type/subset.py. */\n" + "".join(faces), encoding="utf-8")
    widths = {name: table for name, (_, table) in made.items() if name != "400i"}
    (LAB / "widths.json").write_text(json.dumps(widths, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print({name: (len(data), len(table)) for name, (data, table) in made.items()})


if __name__ == "__main__":
    main()
