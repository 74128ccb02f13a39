/** Writes subtitles and transcripts: speech in paragraphs by speaker and pause. Each paragraph begins with its time. */
import type { TextBuilder } from './text-builder.ts';

/** A pause this long starts a paragraph. */
const PAUSE_SECONDS = 3;
/** Repeated lines follow at once. Later they are spoken again. */
const REPEAT_SECONDS = 0.2;
/** After this many UTF-16 units of a paragraph, the next full stop ends it; after twice as many, the next cue. */
const PARAGRAPH_UNITS = 300;
/** Matches words that name who speaks, or begin the words of another person: `Ann: Yes`, `[Ann] Yes`, `- Yes`, `>> Yes`. */
const TURN = /^(?:-{1,2}|–|—|>>|\[[^[\]]{1,40}\]|\p{Lu}[^\s:]{0,30}(?: [^\s:]{1,30}){0,2}:)(?=\s*\S)/u;

/** Speech with its times in seconds. */
export interface Cue {
  start: number;
  end: number;
  speaker: string;
  lines: string[];
}

/** Writes cues in paragraphs, which begin with their time and their speaker: `00:05:04 Ann: Yes`. */
export function writeSpeech(builder: TextBuilder, cues: Iterable<Cue>): void {
  let open: (Cue & { text: string }) | undefined;
  const flush = () => {
    const speaker = open?.speaker && `${open.speaker}: `;
    if (open) builder.add({ kind: 'paragraph' }, `${timeOf(open.start)} ${speaker}${open.text}`);
  };
  for (const cue of cues) {
    const text = cue.lines.join(' ');
    const pauses = !open || cue.speaker !== open.speaker || cue.start - open.end >= PAUSE_SECONDS;
    const units = open?.text.length ?? 0;
    const isLong = units > 2 * PARAGRAPH_UNITS || (units > PARAGRAPH_UNITS && /[.!?…。！？]["”’»]?$/.test(open!.text));
    if (text !== '' && (pauses || isLong || TURN.test(text))) {
      flush();
      open = { ...cue, text };
    } else if (open && text !== '') open.text += ` ${text}`;
    if (open) open.end = cue.end;
  }
  flush();
}

/** Leaves out the lines that are still on the screen: captions of live programmes repeat them. */
export function* withoutRepeats(cues: Iterable<Cue>): Generator<Cue> {
  let last: Cue | undefined;
  for (const cue of cues) {
    const isNext = last && cue.speaker === last.speaker && cue.start - last.end < REPEAT_SECONDS;
    const shown = new Set(isNext ? last!.lines : []);
    yield { ...cue, lines: cue.lines.filter((line) => !shown.has(line)) };
    last = cue;
  }
}

function timeOf(seconds: number): string {
  const whole = Math.floor(seconds);
  return [whole / 3600, (whole / 60) % 60, whole % 60].map((part) => `${Math.floor(part)}`.padStart(2, '0')).join(':');
}

/** Returns the seconds of a time such as `1:02:03.5`. */
export function clock(time: string): number {
  return time.split(':').reduce((sum, part) => sum * 60 + (Number(part) || 0), 0);
}
