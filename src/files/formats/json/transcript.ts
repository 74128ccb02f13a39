/** Finds transcripts in the output of programs that recognize speech (Whisper and others), and in subtitles in JSON. Pure. */
import { codePointLength, oneLine } from '../../../util/code-points.ts';
import { isObject } from '../../../util/is-object.ts';
import type { Cue } from '../speech.ts';
import type { Json } from './value.ts';

/** Nobody speaks so slowly: the times are milliseconds. */
const SECONDS_PER_WORD_MAX = 10;
/** The members that hold the parts in files of Whisper, whisper.cpp and AssemblyAI. A file that is a list has no such name. */
const LISTS = /^(?:|segments|transcription|utterances)$/;
/** The members that hold each word with its time. */
const WORDS = /^(?:words|word_segments)$/;
/** The members of a part that these programs write. A part with another member is a record, so that nothing of it is lost. */
const MEMBERS = `id seek start end duration offsets timestamps text speaker channel words tokens temperature
  avg_logprob compression_ratio no_speech_prob confidence`.split(/\s+/);

/** Returns the transcript that a file is or has, and the other members of the file, without those that repeat its words. */
export function transcriptOf(value: Json): { cues: Cue[]; others: Json } | undefined {
  const members: [string, Json][] = Array.isArray(value) ? [['', value]] : Object.entries(isObject(value) ? value : {});
  const list = members.find(([name, member]) => LISTS.test(name) && Array.isArray(member))?.[1] ?? null;
  const cues = cuesOf(list);
  if (!cues) return undefined;
  const spoken = wordsOf(list);
  const isOther = ([name, member]: [string, Json]) => !WORDS.test(name) && wordsOf(member) !== spoken;
  return { cues, others: Object.fromEntries(members.filter(isOther)) };
}

/** Returns the parts of a list with their times. A part has a start, an end or a duration, and words. */
function cuesOf(list: Json): Cue[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const cues = list.flatMap((part) => cueOf(part) ?? []);
  // Marks in a text also have a start and an end: they count its characters.
  const isMarks = cues.every(({ start, end, lines: [text = ''] }) => end - start === codePointLength(text));
  // Two people may speak at the same time.
  const isInOrder = cues.every(({ end }, index) => end > (cues[index - 1]?.start ?? -1));
  if (isMarks || !isInOrder || cues.length < list.length || cues.every(({ lines }) => lines[0] === ''))
    return undefined;
  const time = cues.reduce((sum, { start, end }) => sum + end - start, 0);
  const words = cues.reduce((sum, { lines: [text = ''] }) => sum + text.split(' ').length, 0);
  const scale = time / words > SECONDS_PER_WORD_MAX ? 1000 : 1;
  return cues.map((cue) => ({ ...cue, start: cue.start / scale, end: cue.end / scale }));
}

function cueOf(part: Json): Cue | undefined {
  if (!isObject(part) || !Object.keys(part).every((name) => MEMBERS.includes(name))) return undefined;
  const { offsets, speaker, text } = part;
  const [from, to] = isObject(offsets) ? [offsets['from'], offsets['to']] : [part['start'], part['end']];
  const [start, end] = [Number(from), Number(to ?? Number(from) + Number(part['duration']))];
  if (typeof from !== 'number' || Number.isNaN(end) || typeof text !== 'string') return undefined;
  const named = isObject(speaker) ? speaker['name'] : speaker;
  return {
    start,
    end,
    speaker: typeof named === 'number' ? `Speaker ${named}` : String(named ?? ''),
    lines: [oneLine(text)],
  };
}

/** Returns the words of a text, or of a list that has each part or word with its time, without blanks. */
function wordsOf(value: Json): string {
  const wordOf = (part: Json) => (isObject(part) ? String(part['word'] ?? part['text']) : '');
  return (Array.isArray(value) ? value.map(wordOf).join('') : String(value)).replace(/\s+/g, '');
}
