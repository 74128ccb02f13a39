/** Finds texts that have a phrase in quotes word for word. Pure. */
import { fold, withoutInvisible, withoutMarkRuns } from '../../text/fold.ts';

const WORD = '[\\p{L}\\p{M}\\p{N}]';
/** Letters of scripts without blanks between words, and of Korean, where endings follow a word and blanks are often left out. */
const UNSPACED = `[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]&&${WORD}]`;
const SPACED = `[${WORD}--${UNSPACED}]`;
/** An inner opening quote ends the search for the closing one, so that it takes linear time. Inches (5") open no phrase. */
const QUOTED = new RegExp(
  `(?<!${SPACED})"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|(?<!${SPACED})»([^«»]+)«|「([^「」]+)」|『([^『』]+)』`,
  'gv',
);
/** Runs of one kind of letters: a blank is put where a run of the other kind begins. */
const RUNS = new RegExp(`${SPACED}+|${UNSPACED}+`, 'gv');
const BLANK_IN_UNSPACED = new RegExp(` (?<=${UNSPACED} )(?=${UNSPACED})`, 'gv');
const STARTS_SPACED = new RegExp(`^${SPACED}`, 'v');
const ENDS_SPACED = new RegExp(`${SPACED}$`, 'v');
/** Maximum number of phrases of a query that are looked for. */
const PHRASES_MAX = 64;

/**
 * Returns a test of whether a text has every phrase that the query has in quotes. Case, accents, marks and line breaks do not count,
 * nor do blanks beside letters of scripts without blanks between words. Returns undefined if the query has no phrase.
 */
export function phraseTest(query: string): ((text: string) => boolean) | undefined {
  const quoted = [...query.matchAll(QUOTED)].map((groups) => groups.slice(1).find((text) => text !== undefined)!);
  const phrases = quoted
    .map(wordsOf)
    .filter((phrase) => phrase !== '')
    .slice(0, PHRASES_MAX)
    .map(bounded);
  if (phrases.length === 0) return undefined;
  return (text) => {
    const words = ` ${wordsOf(text)} `;
    return phrases.every((phrase) => words.includes(phrase));
  };
}

/** Returns the phrase with the blanks that it begins and ends at. In a script without blanks, it may begin and end anywhere. */
function bounded(phrase: string): string {
  return `${STARTS_SPACED.test(phrase) ? ' ' : ''}${phrase}${ENDS_SPACED.test(phrase) ? ' ' : ''}`;
}

function wordsOf(text: string): string {
  const plain = fold(withoutMarkRuns(withoutInvisible(text)).normalize('NFKC').toLowerCase());
  return (plain.match(RUNS) ?? []).join(' ').replace(BLANK_IN_UNSPACED, '');
}
