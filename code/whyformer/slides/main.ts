// Loaded by labs.js where the address asks for it: `?teach` is the slides, `?teacher` the window beside them.

import { lesson_of_page } from "./lesson.ts";
import { Slides } from "./slides.ts";
import { teacher_window } from "./teacher.ts";

export function begin(): void {
  if (new URLSearchParams(location.search).has("teacher")) return teacher_window();
  const lesson = lesson_of_page();
  if (lesson) new Slides(lesson); // a page without a lesson is shown large, and nothing else
}
