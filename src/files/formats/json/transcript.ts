/** Finds transcripts in the output of programs that recognize speech (Whisper and others), and in subtitles in JSON. Pure. */
import { oneLine } from '../../../util/code-points.ts';
import { isObject } from '../../../util/is-object.ts';
import type { Cue } from '../speech.ts';
import type { Json } from './value.ts';

/** Maximum depth of the list of parts inside objects. */
const LEVELS_MAX = 3;
/** Nobody speaks so slowly: the times are milliseconds. */
const SECONDS_PER_WORD_MAX = 10;

/** Returns the parts of a transcript with their times, or undefined. A part has a start, an end or a duration, and words. */
export function transcriptOf(value: Json, level = 0): Cue[] | undefined {
  if (!Array.isArray(value)) {
    const members = isObject(value) && level < LEVELS_MAX ? Object.values(value) : [];
    return members.map((member) => transcriptOf(member as Json, level + 1)).find((cues) => cues !== undefined);
  }
  const cues = value.flatMap((part) => cueOf(part) ?? []);
  // Marks in a text also have a start and an end: they count its characters.
  const isMarks = cues.every(({ start, end, lines: [text = ''] }) => end - start === text.length);
  if (isMarks || cues.length < value.length) return undefined;
  const time = cues.reduce((sum, { start, end }) => sum + end - start, 0);
  const words = cues.reduce((sum, { lines: [text = ''] }) => sum + text.split(' ').length, 0);
  const scale = time / words > SECONDS_PER_WORD_MAX ? 1000 : 1;
  return cues.map((cue) => ({ ...cue, start: cue.start / scale, end: cue.end / scale }));
}

function cueOf(part: Json): Cue | undefined {
  if (!isObject(part)) return undefined;
  const { offsets, speaker } = part;
  const [from, to] = isObject(offsets) ? [offsets['from'], offsets['to']] : [part['start'], part['end']];
  const [start, end] = [Number(from), Number(to ?? Number(from) + Number(part['duration']))];
  const text = part['text'] ?? part['transcript'];
  if (typeof from !== 'number' || Number.isNaN(end) || typeof text !== 'string') return undefined;
  const name = typeof speaker === 'number' ? `Speaker ${speaker}` : speaker;
  return { start, end, speaker: typeof name === 'string' ? name : '', lines: [oneLine(text)] };
}
