// What the room's server says (whyformer_book/teach/room): to phones and slides one whole picture each, and to a phone
// what is kept of it. Nothing here builds on what was said before.

export interface Question {
  id: string;
  text: string;
  options: string[];
  /** The round that is taken; 0: none. */
  open: number;
  /** How many chose each option, for each round that the class has been shown. */
  counts: number[][];
  /** -1 until the class has been told; then there is a reason for each option. */
  right: number;
  reasons: string[];
}

/** The room, as phones see it. */
export interface Room {
  scene: {
    do: string;
    text?: string;
    lesson?: string;
    page?: string;
    address?: string;
    question?: string;
    part?: string;
    frame?: number;
  };
  question: Question | null;
  /** Seconds of the timer. */
  left: number | null;
  /** Whether votes can be kept. */
  keeps: boolean;
}

/** The room, as the teacher sees it. */
export interface Snapshot extends Room {
  epoch: number;
  code: string;
  /** Addresses at which phones come in, the likeliest first. */
  doors: string[];
  /** Devices that are here. */
  here: number;
  /** How many chose each option of the question, in both rounds. */
  votes: number[][];
  /** The lesson in which a sentence was asked for last, and what was handed in. */
  lesson: string;
  tickets: string[];
  /** The numbers that were answered to the question in front of the class, sorted. */
  numbers: number[];
  /** Why votes cannot be kept. */
  fault: string;
}

/** What is kept of a device: by question the option of either round, and by lesson its sentence. */
export interface Kept {
  votes: Record<string, (number | null)[]>;
  tickets: Record<string, string>;
  /** By question its number. */
  numbers: Record<string, number>;
}
