/** Detects the language of a parsed file. */
import { detectLanguage, SAMPLE_UNITS } from '../text/language.ts';
import type { ParsedFile } from './parsed.ts';

/** Number of places at which a long text is sampled: its beginning may be names, a licence or a table of contents. */
const SAMPLE_PLACES = 8;
const INLINE_CODE = /`[^`\n]{1,200}`/g;

/**
 * Returns the language of a file as ISO 639-1 code, or null if it is unknown. Code blocks do not count.
 *
 * The language of sentences takes precedence over the declared language: templates declare "en" for pages in any language.
 */
export function languageOf({ fileType, text, blocks, metadata }: ParsedFile): string | null {
  if (fileType === 'code') return null;
  const declared = metadata['language']?.val.toLowerCase().match(/^([a-z]{2})(?:[-_]|$)/)?.[1];
  const stretches = blocks.filter(({ kind }) => kind !== 'code').map(({ start, end }) => text.slice(start, end));
  return detectLanguage(sampled(stretches.join('\n')), declared) ?? declared ?? null;
}

function sampled(text: string): string {
  if (text.length <= SAMPLE_UNITS) return text.replace(INLINE_CODE, ' ');
  const units = SAMPLE_UNITS / SAMPLE_PLACES;
  const places = Array.from({ length: SAMPLE_PLACES }, (_, i) => Math.floor((text.length / SAMPLE_PLACES) * i));
  return places.map((at) => text.slice(at, at + units).replace(INLINE_CODE, ' ')).join('\n');
}
