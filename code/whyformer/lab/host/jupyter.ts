// The Jupyter host: an anywidget whose traits are the controls. https://anywidget.dev, "Anywidget Front-End Module".

import { same, type Declaration, type State, type Value } from "../declaration.ts";
import { WhyformerLab } from "./element.ts";
import { keep_keys } from "./keys.ts";
import { WhyformerExercise } from "../teach/exercise.ts";
import type { Asked } from "../teach/judge.ts";
import { WhyformerPredict, type Question } from "../teach/predict.ts";

interface Model {
  get(name: string): any;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, heard: () => void): void;
  off(event: string, heard: () => void): void;
}

export const anywidget = {
  render({ model, el }: { model: Model; el: HTMLElement }): () => void {
    const declared = model.get("_declaration") as Declaration | Question | Asked;
    keep_keys(el);
    if ("predict" in declared) return predict(model, el, declared);
    return "check" in declared ? check(model, el, declared) : lab(model, el, declared);
  },
};

function lab(model: Model, el: HTMLElement, declaration: Declaration): () => void {
  const names = declaration.controls.map((control) => control.name);
  const state: State = Object.fromEntries(names.map((name) => [name, model.get(name)]));
  const element = document.createElement("whyformer-lab") as WhyformerLab;
  element.host = "jupyter";
  element.declare_lab({ declaration, state, size: model.get("size") });

  const to_python = () => {
    const present = element.state;
    const changed = names.filter((name) => !same(present[name], model.get(name) as Value));
    for (const name of changed) model.set(name, present[name]);
    if (changed.length) model.save_changes();
  };
  const from_python = () => {
    const present = element.state;
    const changed = names.filter((name) => !same(present[name], model.get(name) as Value));
    if (changed.length) element.set(Object.fromEntries(changed.map((name) => [name, model.get(name)])));
  };
  element.addEventListener("whyformer:change", to_python);
  for (const name of names) model.on(`change:${name}`, from_python);
  el.append(element);
  return () => {
    element.removeEventListener("whyformer:change", to_python);
    for (const name of names) model.off(`change:${name}`, from_python);
    element.remove();
  };
}

function predict(model: Model, el: HTMLElement, question: Question): () => void {
  const element = document.createElement("whyformer-predict") as WhyformerPredict;
  element.ask(question, model.get("answer"));
  const to_python = () => {
    model.set("answer", element.answer);
    model.save_changes();
  };
  const from_python = () => element.show(model.get("answer"));
  element.addEventListener("whyformer:answer", to_python);
  model.on("change:answer", from_python);
  el.append(element);
  if (element.answer !== model.get("answer")) to_python(); // remembered here, and not by a kernel that started anew
  return () => {
    element.removeEventListener("whyformer:answer", to_python);
    model.off("change:answer", from_python);
    element.remove();
  };
}

function check(model: Model, el: HTMLElement, asked: Asked): () => void {
  const element = document.createElement("whyformer-exercise") as WhyformerExercise;
  element.ask(asked, model.get("answer"));
  const to_python = () => {
    model.set("answer", element.answer);
    model.save_changes();
  };
  const from_python = () => {
    if (model.get("answer") !== element.answer) element.show(model.get("answer"));
  };
  element.addEventListener("whyformer:checked", to_python);
  model.on("change:answer", from_python);
  el.append(element);
  return () => {
    element.removeEventListener("whyformer:checked", to_python);
    model.off("change:answer", from_python);
    element.remove();
  };
}
