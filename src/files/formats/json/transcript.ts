/** Finds transcripts in the output of programs that recognize speech (Whisper and others), and in subtitles in JSON. Pure. */
import { isObject } from '../../../util/is-object.ts';
import type { Cue } from '../speech.ts';
import type { Json } from './value.ts';

/** Maximum depth of the list of parts inside objects. */
const LEVELS_MAX = 3;
/** Nobody speaks so slowly: the times are milliseconds. */
const SECONDS_PER_WORD_MAX = 10;

/** Returns the parts of a transcript with their times, or undefined. A part has a start, an end or a duration, and words. */
export function transcriptOf(value: Json, level = 0): Cue[] | undefined {
  if (Array.isArray(value)) return cuesOf(value);
  if (!isObject(value) || level === LEVELS_MAX) return undefined;
  for (const member of Object.values(value)) {
    const cues = transcriptOf(member as Json, level + 1);
    if (cues) return cues;
  }
  return undefined;
}

function cuesOf(parts: readonly Json[]): Cue[] | undefined {
  const cues = parts.map(cueOf).filter((cue) => cue !== undefined);
  if (cues.length === 0 || cues.length < parts.length) return undefined;
  // Marks in a text also have a start and an end: they count its characters.
  if (cues.every(({ start, end, lines: [text = ''] }) => end - start === text.length)) return undefined;
  const words = cues.reduce((sum, { lines }) => sum + lines.join(' ').split(/\s+/).length, 0);
  const time = cues.reduce((sum, { start, end }) => sum + end - start, 0);
  const scale = time / words > SECONDS_PER_WORD_MAX ? 1000 : 1;
  return cues
    .filter(({ lines: [text] }) => text !== '')
    .map((cue) => ({ ...cue, start: cue.start / scale, end: cue.end / scale }));
}

function cueOf(part: Json): Cue | undefined {
  if (!isObject(part)) return undefined;
  const offsets = isObject(part['offsets']) ? part['offsets'] : undefined;
  const start = offsets ? offsets['from'] : part['start'];
  const end = offsets ? offsets['to'] : (part['end'] ?? Number(start) + Number(part['duration']));
  const text = part['text'] ?? part['transcript'];
  if (typeof start !== 'number' || typeof end !== 'number' || Number.isNaN(end) || typeof text !== 'string')
    return undefined;
  const speaker = part['speaker'];
  const name = typeof speaker === 'number' ? `Speaker ${speaker}` : typeof speaker === 'string' ? speaker : '';
  return { start, end, speaker: name, lines: [text.replace(/\s+/g, ' ').trim()] };
}
