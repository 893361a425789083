// Enter in a form. Browsers do this by themselves; in JupyterLab a plain Enter does not get as far as the button.

/** Listens for keydown at a form: Enter in a field or on an option submits it. */
export function submit_on_enter(event: KeyboardEvent): void {
  const { key, shiftKey, ctrlKey, metaKey, altKey, isComposing } = event;
  if (key !== "Enter" || shiftKey || ctrlKey || metaKey || altKey || isComposing) return;
  if (!(event.target as Element).matches("input")) return;
  event.preventDefault(); // or it is submitted twice
  (event.currentTarget as HTMLFormElement).requestSubmit();
}
