"""What is computed while the reader rests is what the button for a new draw asks for, and is computed once."""

import pytest
from lab_cases import LABS, defaults
from some import some
from twins import differences_on
from whyformer.lab.control import Seed

DRAWN = [name for name, lab in LABS.items() if any(isinstance(one, Seed) for one in lab.controls().values())]
IN_PIECES = {"layer_norm/placement": 3, "why_sqrt_dk/sampling": 5}
LAST = LABS["layer_norm/placement"].controls()["seed"].max

PIECES = (
    """([name, state, max]) => [...WhyformerLabs.labs.get(name).ahead(state, () => ({max, values: [256]}))].length"""
)

#: A copy of the lab whose computing is counted: after a rest, and after the next draw was asked for.
COUNTED = """async ([name, seed]) => {
  const {labs} = WhyformerLabs, lab = labs.get(name), seeds = [];
  labs.set(name, {...lab, compute: (state, data) => (seeds.push(state.seed), lab.compute(state, data))});
  const first = document.querySelector(`whyformer-lab[name="${name}"]`), other = first.cloneNode(true);
  other.querySelector(".wf-live").remove();
  first.replaceWith(other);
  other.go(99); // free play, with all controls
  other.set({seed});
  const asked = seeds.length;
  const late = performance.now() + 10000;
  while (seeds.length === asked && performance.now() < late) await new Promise((done) => setTimeout(done, 50));
  const ahead = seeds.slice(asked);
  other.querySelector("[data-draw]").click();
  return [ahead, seeds.length - asked, other.state.seed];
}"""


@pytest.mark.parametrize("seed", [3, LAST])
@pytest.mark.parametrize("name", some(DRAWN, IN_PIECES))
def test_the_next_draw_is_there_when_the_button_is_pressed(name, seed, visit, lab_pages):
    page = visit(lab_pages[name])
    then = 0 if seed == LAST else seed + 1
    assert page.evaluate(COUNTED, [name, seed]) == [[then], 1, then]
    assert not differences_on(page, LABS[name], [defaults(LABS[name]) | {"seed": then}])


@pytest.mark.parametrize("name", IN_PIECES)
def test_what_takes_long_comes_in_pieces_and_once(name, visit, lab_pages):
    page = visit(lab_pages[name])
    asked = [name, defaults(LABS[name]) | {"seed": 3}, LAST]
    assert page.evaluate(PIECES, asked) >= IN_PIECES[name]
    assert page.evaluate(PIECES, asked) == 0


def test_what_fails_ahead_is_told_when_it_is_asked_for(visit, lab_pages):
    name = "why_sqrt_dk/scale"
    said = visit(lab_pages[name]).evaluate(
        """async (name) => {
          const {labs} = WhyformerLabs, lab = labs.get(name);
          let tries = 0;
          const compute = (state, data) => {
            if (state.seed === 8) throw tries++, new Error("on purpose");
            return lab.compute(state, data);
          };
          labs.set(name, {...lab, compute});
          const first = document.querySelector(`whyformer-lab[name="${name}"]`), other = first.cloneNode(true);
          other.querySelector(".wf-live").remove();
          first.replaceWith(other);
          const errors = [];
          console.error = (...words) => errors.push(words.length);
          other.set({seed: 7});
          while (!tries) await new Promise((done) => setTimeout(done, 50));
          const before = [errors.length, other.hasAttribute("broken")];
          other.set({seed: 8});
          return [...before, errors.length, other.hasAttribute("broken")];
        }""",
        name,
    )
    assert said == [0, False, 1, True]


#: How often a lab has computed when it stands there, then 1.2 s later, and then once someone has come near.
NEAR = """async ([name, event]) => {
  const {labs} = WhyformerLabs, lab = labs.get(name), rest = (ms) => new Promise((done) => setTimeout(done, ms));
  let computed = 0;
  labs.set(name, {...lab, compute: (state, data) => (computed++, lab.compute(state, data))});
  const first = document.querySelector(`whyformer-lab[name="${name}"]`), other = first.cloneNode(true);
  other.querySelector(".wf-live").remove();
  first.replaceWith(other);
  const counts = [computed];
  await rest(1200);
  counts.push(computed);
  other.querySelector(".wf-title").dispatchEvent(new Event(event, {bubbles: true}));
  const late = performance.now() + 10000;
  while (computed === counts[1] && performance.now() < late) await rest(50);
  return [...counts, computed];
}"""


@pytest.mark.parametrize("event", ["pointerover", "focusin"])
def test_nothing_is_made_ahead_for_who_only_reads(event, visit, lab_pages):
    page = visit(lab_pages["why_sqrt_dk/scale"])
    there, later, near = page.evaluate(NEAR, ["why_sqrt_dk/scale", event])
    assert there > 0 and later == there and near == there + 1
