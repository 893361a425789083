"""What goes into an offered notebook of what a cell showed."""

from __future__ import annotations

from nbformat import v4
from whyformer_book.notebooks.saved_outputs import WIDGET, fill

SVG = '<svg xmlns="http://www.w3.org/2000/svg" aria-label="a &amp; b"></svg>'


def filled(*outputs):
    offered = v4.new_notebook(cells=[v4.new_markdown_cell("text"), v4.new_code_cell("x = 1\nx")])
    fill(
        offered, v4.new_notebook(cells=[v4.new_code_cell("other"), v4.new_code_cell("x = 1\nx\n", outputs=[*outputs])])
    )
    return offered.cells[1].outputs


def stream(text, name="stdout"):
    return v4.new_output("stream", name=name, text=text)


def test_in_how_many_pieces_something_was_printed_does_not_matter():
    told = [stream("one"), stream("\n"), stream("no", "stderr"), stream("two\n")]
    assert filled(*told) == filled(stream("one\n"), *told[2:]) != filled(stream("one\n"), stream("two\n"))
    assert [one.text for one in filled(*told)] == ["one\n", "no", "two\n"]


def test_a_picture_becomes_an_image_with_its_words_and_a_widget_alone_is_left_out():
    alive = {WIDGET: {"model_id": "1"}, "text/plain": "Lab()"}
    (shown,) = filled(v4.new_output("execute_result", data={**alive, "image/svg+xml": SVG, "text/html": "<x-y></x-y>"}))
    assert set(shown.data) == {"text/html", "text/plain"} and shown.output_type == "display_data"
    assert shown.data["text/html"].startswith('<img alt="a &amp; b" src="data:image/svg+xml;base64,')
    assert filled(v4.new_output("display_data", data=alive)) == []


def test_tables_pixels_and_words_stay_as_they_are():
    for data in ({"text/html": "<table></table>", "text/plain": "t"}, {"image/png": "AA==", "text/plain": "<Figure>"}):
        assert filled(v4.new_output("display_data", data=data))[0].data == data
