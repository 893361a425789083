// Loaded by pages that have cards (whyformer_book/pages/cards.py): those of a chapter, or all of them on the page of practice.

import { in_chapter } from "./chapter.ts";
import { Practice } from "./practice.ts";

const practice = document.querySelector<HTMLElement>(".wf-practice");
if (practice) new Practice(practice);
else in_chapter([...document.querySelectorAll<HTMLElement>(".wf-card")]);
