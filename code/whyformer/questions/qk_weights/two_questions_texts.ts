// What the two-questions lab reads: sentences of N words, each word a vector of D numbers.

export const D = 8;
export const N = 5;
export const TEXTS: Record<string, string[]> = {
  boy: ["I", "am", "a", "boy", "."],
  dogs: ["dogs", "chase", "cats", "at", "night"],
  gave: ["she", "gave", "him", "old", "books"],
};
