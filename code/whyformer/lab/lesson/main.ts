// Loaded by labs.js where the address asks for it: `?teach` is the slides, `?teacher` the window beside them.

import { lesson_of_page } from "./lesson.ts";
import { Slides } from "./slides.ts";
import { teacher_window } from "./teacher.ts";

export function begin(): void {
  const lesson = lesson_of_page();
  if (!lesson) return; // a page without a lesson is shown large, and nothing else
  if (new URLSearchParams(location.search).has("teacher")) teacher_window(lesson);
  else new Slides(lesson);
}
