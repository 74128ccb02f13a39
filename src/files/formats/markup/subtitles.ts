/** Parses subtitles (WebVTT, SRT): writes speech in paragraphs by speaker and pause, without times. */
import type { ParsedFile } from '../../parsed.ts';
import { decodeHtml } from '../references.ts';
import { TextBuilder } from '../text-builder.ts';

const TIMES =
  /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?\s*-->\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?/;
/** A pause this long starts a paragraph. */
const PAUSE_SECONDS = 3;
/** After this many UTF-16 units of a paragraph, the next full stop ends it. */
const PARAGRAPH_UNITS = 600;

interface Cue {
  start: number;
  end: number;
  speaker: string;
  text: string;
}

export function parseSubtitles(source: string): ParsedFile {
  const builder = new TextBuilder();
  let open: Cue | undefined;
  const flush = () => {
    if (open) builder.add({ kind: 'paragraph' }, open.speaker === '' ? open.text : `${open.speaker}: ${open.text}`);
    open = undefined;
  };
  for (const cue of cuesOf(source)) {
    // Captions of live programmes repeat the previous line.
    if (open?.text.endsWith(cue.text)) {
      open.end = cue.end;
      continue;
    }
    const continues = open && cue.speaker === open.speaker && cue.start - open.end < PAUSE_SECONDS;
    if (open && continues && !(open.text.length > PARAGRAPH_UNITS && /[.!?…。！？]["”’»]?$/.test(open.text))) {
      open.text += ` ${cue.text}`;
      open.end = cue.end;
    } else {
      flush();
      open = cue;
    }
  }
  flush();
  return builder.file('txt');
}

function* cuesOf(source: string): Generator<Cue> {
  for (const block of source.split(/\n[ \t]*\n/)) {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => TIMES.test(line));
    if (at === -1) continue;
    const [, ...times] = TIMES.exec(lines[at]!)!;
    const raw = lines.slice(at + 1).join(' ');
    const speaker = /<v(?:\.[^\s>]*)?\s+([^>]{1,200})>/.exec(raw)?.[1]?.trim() ?? '';
    const text = decodeHtml(raw.replace(/<[^<>]*>|\{\\[^{}]*\}/g, ''))
      .replace(/\s+/g, ' ')
      .trim();
    if (text !== '') yield { start: seconds(times.slice(0, 4)), end: seconds(times.slice(4)), speaker, text };
  }
}

function seconds([hours, minutes, rest, millis]: (string | undefined)[]): number {
  return (
    Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(rest) + Number((millis ?? '0').padEnd(3, '0')) / 1000
  );
}
