/** Finds questions that depend on the conversation before them, and adds earlier questions to them, without a model. */
import type { ChatMessage } from '../../llm/models.ts';
import { queryWords } from '../../text/analyzer.ts';
import { lazy } from '../../util/lazy.ts';
import { wordsIn } from '../word-lists.ts';

/** Maximum content words: a word points back, perhaps to a noun before it; no word does; only a reader can tell. */
const WORDS_MAX = { pointing: 4, afterNoun: 2, fragment: 1, maybe: 2 };
const QUESTION_UNITS_MAX = 300;
/** Languages whose function words are dropped. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'pl', 'ru', 'tr'];
/** Scripts without spaces. Seven of their characters count as one content word. */
const UNSPACED = /[\p{sc=Han}\p{sc=Kana}\p{sc=Hira}\p{sc=Thai}ー]/u;
const UNSPACED_WORD_LENGTH = 7;
const DEFINITION =
  /^(?:what|who|where)(?:['’]s| is| are| was| were) (?!the )|^(?:was|wer|wo) (?:ist|sind) (?!d(?:er|ie|as) )|^什[么麼]是|とは/iu;
const ASKS_WHO = /^(?:who|wer|qui|quién|chi|quem|wie|кто)(?!\p{L})/iu;
const NAME = /\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){1,2}/gu;

const pointers = lazy(() => {
  const patterns = [...wordsIn('pointers')].map((entry) => {
    const [, start, words, end] = /^(\^?)(.*?)(\??)$/u.exec(entry)!;
    const word = UNSPACED.test(words!) ? words! : `(?<![\\p{L}\\p{N}])${words}(?![\\p{L}\\p{N}])`;
    return start + word + (end && '\\s*\\?');
  });
  return new RegExp(patterns.join('|'), 'giu');
});

/** Returns whether a question depends on earlier messages. `maybe` means that only a reader can tell. */
export function dependsOnHistory(question: string): 'no' | 'maybe' | 'yes' {
  const text = normal(question).replace(/\bIT\b/g, 'I.T.');
  const pointer = text.search(pointers());
  const words = contentWords(text.replace(pointers(), ' '));
  if (pointer < 0 && DEFINITION.test(text)) return 'no';
  const isAfterNoun = contentWords(text.slice(0, Math.max(pointer, 0))) > 1;
  const wordsMax = WORDS_MAX[pointer < 0 ? 'fragment' : isAfterNoun ? 'afterNoun' : 'pointing'];
  if (words <= wordsMax) return 'yes';
  return words <= WORDS_MAX.maybe || (pointer >= 0 && !isAfterNoun) ? 'maybe' : 'no';
}

/** Returns the question with the question before it and the last one that stands alone; null when the question itself does. */
export function carryOver(question: string, history: readonly ChatMessage[]): string | null {
  const asked = [...history.keys()].filter(
    (i) => history[i]!.role === 'user' && /[\p{L}\p{N}]/u.test(history[i]!.content),
  );
  const last = asked.at(-1);
  if (last === undefined || dependsOnHistory(question) !== 'yes') return null;
  const topic = asked.findLast((i) => dependsOnHistory(history[i]!.content) !== 'yes') ?? asked[0]!;
  const carried = [...new Set([last, topic].map((i) => normal(history[i]!.content)))].join(' ');
  const answer = ASKS_WHO.test(history[topic]!.content) ? (history[topic + 1]?.content ?? '') : '';
  const name = answer.match(NAME)?.find((one) => !carried.includes(one)) ?? '';
  return `${question.trim()} ${carried} ${name}`.trim();
}

function normal(question: string): string {
  return question.trim().slice(0, QUESTION_UNITS_MAX).normalize('NFKC');
}

function contentWords(text: string): number {
  const characters = [...text].filter((one) => UNSPACED.test(one)).length;
  // queryWords() leaves out Korean words and options.
  const others = text.match(/\p{sc=Hang}+|(?<!\S)-+\w/gu)?.length ?? 0;
  return (
    characters / UNSPACED_WORD_LENGTH +
    others +
    queryWords(text.replace(new RegExp(UNSPACED, 'gu'), ' '), LANGUAGES).length
  );
}
