/** Leaves out the words that only ask: a text that explains a word does not say "means", and one that shows a way no "how do I". Pure. */

import { lazy } from '../util/lazy.ts';
import { readWordLists } from '../util/package-files.ts';
import { fold } from './fold.ts';

/** The verb of such a question, after the asked words or before them. A "definition of done" is a thing of its own. */
const AFTER =
  /^(?<open>\s*what\s+(?:does|do|did)\s.{1,200}?)\s+(?:mean|stand\s+for|signify|denote)(?<end>\s*(?:[?.!]+\s*)?(?:\(|$))/iu;
const DEFINITION = /^\s*what\s+is\s+(?:the\s+)?definition\s+of(?!\s+(?:done|ready)(?!\p{L}))(?=\s)/iu;

/** In Chinese, Japanese and Korean these words stand at the end, and every character of them would count as a topic. */
const AT_END = new RegExp(
  [
    '(?:とは|は)?\\s?何(?:を(?:意味|指)(?:し(?:ます|ている|ています)|する|す)|の(?:こと|略))(?:です|でしょう)?か?',
    'の(?:意味|定義)(?:は|とは)(?:何(?:です|でしょう)?か?)?',
    '(?:的)?(?:是)?[什甚][么麼]意思|的(?:意思|含义|含義|定义|定義)是[什甚][么麼]|是指[什甚][么麼]',
    '(?:은|는|이|가)?\\s?무슨\\s?(?:뜻|의미)(?:인가요|입니까|이에요|이야|인가)?|의\\s?(?:뜻|의미|정의)[은는]?(?:\\s?무엇(?:인가요|입니까|이에요))?',
  ]
    .map((phrases) => `(?:${phrases})`)
    .join('|')
    .replace(/^/, '(?:')
    .replace(/$/, ')(?=[?？。.!\\s]{0,9}$)'),
  'u',
);

/** Phrases that open or end a question and name no topic, with their languages: `wo finde ich`, `ne işe yarar`. */
const askingPhrases = lazy(
  () =>
    new Map(
      [...readWordLists('asking-phrases')].flatMap(([language, phrases]) =>
        phrases.map((phrase) => [plainWords(phrase), language] as const),
      ),
    ),
);
const PHRASE_WORDS_MAX = 8;
const PHRASE_UNITS_MAX = 80;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

interface Asked {
  /** The question without the words that only ask: for a meaning, a place, a way or a purpose; another text unchanged. */
  topic: string;
  /** The language of an asking phrase. */
  language?: string;
}

export function withoutAskedMeaning(text: string): Asked {
  const words = text.replace(AFTER, '$<open>$<end>').replace(DEFINITION, '').replace(AT_END, '');
  return withoutPhrases(/[\p{L}\p{N}]/u.test(words) ? words : text);
}

/** Leaves at least one word beside the phrases. */
function withoutPhrases(text: string): Asked {
  const words = [...text.matchAll(WORDS)];
  const languageOf = (from: number, to: number): string | undefined => {
    const [start, end] = [words[from]!.index, endOf(words[to - 1]!)];
    return end - start > PHRASE_UNITS_MAX ? undefined : askingPhrases().get(plainWords(text.slice(start, end)));
  };
  let [first, last] = [0, words.length];
  let language: string | undefined;
  const countMax = (): number => Math.min(PHRASE_WORDS_MAX, last - first - 1);
  for (let count = countMax(); count > 0; count -= 1) {
    const opening = languageOf(first, first + count);
    if (opening === undefined) continue;
    first += count;
    language ??= opening;
    count = countMax() + 1;
  }
  for (let count = countMax(); count > 0 && last === words.length; count -= 1) {
    const ending = languageOf(last - count, last);
    if (ending === undefined) continue;
    last -= count;
    language ??= ending;
  }
  const rest = last === words.length ? text : text.slice(0, words[last]!.index) + text.slice(endOf(words.at(-1)!));
  return { topic: first === 0 ? rest : rest.slice(endOf(words[first - 1]!)), ...(language && { language }) };
}

function endOf({ index, 0: word }: RegExpExecArray): number {
  return index + word.length;
}

/** Returns the words in lower case without marks, because people leave marks out, with one blank between them. */
function plainWords(text: string): string {
  return (fold(text.toLowerCase()).match(WORDS) ?? []).join(' ');
}
