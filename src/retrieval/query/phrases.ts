/** Finds texts that have a phrase in quotes word for word. Pure. */
import { SIGIL, WORD_END } from '../../text/analysis/tokens.ts';
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
/** Runs with the signs at their words: `-v`, `$x`, `C++`, `C#`. */
const SIGNED_RUNS = new RegExp(`(?:${SIGIL})?${SPACED}+(?:${WORD_END})?|${UNSPACED}+`, 'gv');
/** A sign at a word. */
const SIGN = /[^\p{L}\p{M}\p{N} ]/v;
/** The address of a link in Markdown, with brackets in it one deep. */
const LINK_ADDRESS = /\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)/g;
const BLANK_IN_UNSPACED = new RegExp(` (?<=${UNSPACED} )(?=${UNSPACED})`, 'gv');
const STARTS_UNSPACED = new RegExp(`^${UNSPACED}`, 'v');
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, 'v');
/** Maximum number of phrases of a query that are looked for. */
const PHRASES_MAX = 64;

/**
 * Returns a test of whether a text has every phrase that the query has in quotes. Case, accents, marks and line breaks do not count,
 * nor do blanks beside letters of scripts without blanks between words. Signs count for a phrase with a sign at a word. Returns
 * undefined if the query has no phrase.
 */
export function phraseTest(query: string): ((text: string) => boolean) | undefined {
  const quoted = [...query.matchAll(QUOTED)].map((groups) => groups.slice(1).find((text) => text !== undefined)!);
  const phrases = quoted
    .map(toPhrase)
    .filter(({ words }) => words !== '')
    .slice(0, PHRASES_MAX)
    .map(({ runs, words }) => ({ runs, words: bounded(words) }));
  if (phrases.length === 0) return undefined;
  const kinds = [...new Set(phrases.map(({ runs }) => runs))];
  return (text) => {
    const texts = new Map(kinds.map((runs) => [runs, ` ${wordsOf(text, runs)} `]));
    return phrases.every(({ runs, words }) => texts.get(runs)!.includes(words));
  };
}

/** Returns the words of a text in quotes, with their signs if there are any, and the runs that a text is compared by. */
function toPhrase(quoted: string): { runs: RegExp; words: string } {
  const signed = wordsOf(quoted, SIGNED_RUNS);
  return SIGN.test(signed) ? { runs: SIGNED_RUNS, words: signed } : { runs: RUNS, words: wordsOf(quoted, RUNS) };
}

/** Returns the phrase with the blanks that it begins and ends at. In a script without blanks, it may begin and end anywhere. */
function bounded(phrase: string): string {
  return `${STARTS_UNSPACED.test(phrase) ? '' : ' '}${phrase}${ENDS_UNSPACED.test(phrase) ? '' : ' '}`;
}

function wordsOf(text: string, runs: RegExp): string {
  const shown = withoutInvisible(text.replace(LINK_ADDRESS, ''));
  const plain = fold(withoutMarkRuns(shown).normalize('NFKC').toLowerCase());
  return (plain.match(runs) ?? []).join(' ').replace(BLANK_IN_UNSPACED, '');
}
