/** Parses subtitles (WebVTT, SRT, ASS, SSA, SBV, MicroDVD). */
import { oneLine } from '../../../util/code-points.ts';
import type { ParsedFile } from '../../parsed.ts';
import { decodeHtml } from '../references.ts';
import { type Cue, clock, withoutRepeats, writeSpeech } from '../speech.ts';
import { TextBuilder } from '../text-builder.ts';

const TIME = String.raw`((?:\d{1,4}:)?\d{1,2}:\d{1,2}(?:[.,]\d{1,3})?)`;
const TIMES = new RegExp(String.raw`^[ \t]*${TIME}\s*(?:-->|,(?=\d+:))\s*${TIME}`);
/** Matches a line of ASS and SSA with its times, or the title of a section there. Speech may begin with the same word. */
const EVENT = /^[ \t]{0,20}Dialogue:[ \t]{0,20}(?:Marked=)?\d{1,9},\d{1,4}:\d\d:/m;
const SECTION = /^[ \t]{0,20}\[(?:Script Info|Events)\][ \t]{0,20}$/im;
const ARROW = /^[ \t]{0,20}[\d:.,]{4,20}[ \t]{0,20}-->/m;

export function parseSubtitles(source: string): ParsedFile {
  const builder = new TextBuilder();
  const isScript = (EVENT.test(source) || SECTION.test(source)) && !ARROW.test(source);
  writeSpeech(builder, withoutRepeats(isScript ? dialogueOf(source) : cuesOf(source)));
  return builder.file('txt');
}

/** Returns the spoken lines of ASS and SSA by their times. Their fields are in the order of the line `Format`; the text is the last. */
function dialogueOf(source: string): Cue[] {
  const events = source.slice(Math.max(0, source.search(/^[ \t]{0,20}\[Events\]/im)));
  const names = (/^[ \t]{0,20}Format:(.*)$/m.exec(events)?.[1] ?? DIALOGUE_FIELDS).trim().split(/\s*,\s*/);
  const cues = Array.from(events.matchAll(/^[ \t]{0,20}Dialogue:(.*)$/gm), ([, line = '']): Cue => {
    const fields = line.split(',');
    const field = (name: string) => fields[names.indexOf(name)]?.trim() ?? '';
    const words = fields.slice(names.length - 1).join(',');
    // Behind `\\p1` are the lines of a drawing.
    const text = /\{[^{}]*\\p[1-9]/.test(words) ? '' : plain(words.replace(/\\[Nnh]/g, ' '));
    const [start = 0, end = 0] = ['Start', 'End'].map((edge) => clock(field(edge)));
    return { start, end, speaker: field('Name') || field('Actor'), lines: [text] };
  });
  return cues.filter(({ lines }) => lines[0] !== '').sort((a, b) => a.start - b.start);
}

const DIALOGUE_FIELDS = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text';

/** Matches a line of MicroDVD, with its first and its last frame. */
const FRAMES = /^\{(\d{1,8})\}\{(\d{1,8})\}(.*)$/;
const FRAMES_PER_SECOND = 25;
/** Matches the words of a first line that says the frames per second. */
const RATE = /^[1-9]\d{1,2}(?:[.,]\d{1,6})?$/;

function* cuesOf(source: string): Generator<Cue> {
  if (FRAMES.test(source.split('\n', 1)[0]!)) {
    let rate = FRAMES_PER_SECOND;
    for (const line of source.split('\n')) {
      const [, start, end, words = ''] = FRAMES.exec(line) ?? [];
      const text = plain(words.replaceAll('|', ' ').replace(/\{[a-z]:[^{}]*\}/gi, ''));
      if (start === end && Number(start) <= 1 && RATE.test(text)) rate = Number(text.replace(',', '.'));
      else if (text !== '') yield { start: Number(start) / rate, end: Number(end) / rate, speaker: '', lines: [text] };
    }
    return;
  }
  let open: Cue | undefined;
  for (const line of [...source.split('\n'), '00:00 --> 00:00']) {
    const [start, end] =
      TIMES.exec(line)
        ?.slice(1)
        .map((time) => clock(time.replace(',', '.'))) ?? [];
    if (start !== undefined && end !== undefined) {
      // Without an empty line between two cues, the number of the next one stands below the words.
      if (open && open.lines.length > 1 && /^\d{1,6}$/.test(open.lines.at(-1)!)) open.lines.pop();
      if (open && open.lines.length > 0) yield open;
      open = { start, end, speaker: '', lines: [] };
    } else if (open && line.trim() === '' && open.lines.length > 0) {
      yield open;
      open = undefined;
    } else if (open) {
      open.speaker ||= /<v(?:\.[^\s>]*)?\s+([^>]{1,200})>/.exec(line)?.[1]?.trim() ?? '';
      const text = plain(line);
      if (text !== '') open.lines.push(text);
    }
  }
}

/** Returns the words of a cue, without marks of how they look. */
function plain(words: string): string {
  return oneLine(decodeHtml(words.replace(/<[^<>]*>|\{\\[^{}]*\}/g, '')));
}
