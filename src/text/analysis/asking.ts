/**
 * Words that only ask, in scripts that write no blanks between words: 什么, 무엇, อะไร. The text that answers a question does not hold
 * them, but it may hold a pair of their characters, and a rare pair counts much. Only queries leave them out. In Chinese and Thai
 * this is done only where the dictionary sees a separate word, so 任何人 and 粗花呢 stay whole.
 *
 * Measured on DRCD, KorQuAD and XQuAD (zh, th). On Japanese it made no difference (JSQuAD).
 */
import { lazy } from '../../util/lazy.ts';
import { readWordList } from '../../util/package-files.ts';
import { wordBoundaries } from './segments.ts';

/** Chinese words that ask unless a certain character stands before or after them, as in 华为何以 and 吴为何年. */
const CHINESE_CONDITIONAL = [
  '(?<![例譬])如何',
  '(?<![华華])[为為]何(?![时時处處年日月人地种種物])',
  '何(?=[时時处處年日月地])',
  '[吗嗎呢](?=[?？\\s]|$)',
];
/** 누가 (Luke, nougat) asks only in a question. 몇 also counts the noun behind it. */
const KOREAN_CONDITIONAL = [
  '어떻(?:게|습니까)(?!\\p{L})',
  '누가(?=\\s(?!복음|크래커)[^\\n]*(?:\\?|까|나|나요|[는은인던]가)\\s*$)',
  '어느(?![새덧])|어떤|무슨|몇',
  '왜(?!\\p{L})',
];
/** Not within ใคร่, ทำไม้ and กี่เพ้า. กี่ at the end does not ask, because it counts the noun behind it. */
const THAI_CONDITIONAL = ['ทำไม(?!้)', 'ใคร(?!่)', '(?<!เ)กี่(?!เพ้า|\\s*$)'];

/** A Chinese word of the first group, a Thai word of the second group, or a Korean word. */
const asking = lazy(() => {
  const chinese = readWordList('asking-words/zh.txt').map((word) => (word.startsWith('哪') ? `${word}(?!吒)` : word));
  const thai = readWordList('asking-words/th.txt');
  const korean = readWordList('asking-words/ko.txt').join('|');
  const endings = readWordList('asking-words/ko-endings.txt').join('|');
  const groups = [
    `(${longestFirst(chinese, CHINESE_CONDITIONAL)})`,
    `(${longestFirst(thai, THAI_CONDITIONAL)})`,
    `(?<!\\p{L})(?:(?:${korean})(?:${endings})?(?!\\p{L})|${KOREAN_CONDITIONAL.join('|')})`,
  ];
  return new RegExp(groups.join('|'), 'gu');
});

function longestFirst(words: readonly string[], conditional: readonly string[]): string {
  return [...words.toSorted((a, b) => b.length - a.length), ...conditional].join('|');
}

/** A query without these scripts has none of the words. */
const SCRIPTS = /[\u0e00-\u0e7f\u4e00-\u9fff\uac00-\ud7a3]/;
const KANA = /[\u3040-\u30ff]/;
/** A query with fewer other letters asks for the asking words themselves. */
const LETTERS_MIN = 2;

/** Returns the query without words that only ask; the query itself if hardly any letter would remain. */
export function withoutAsking(query: string): string {
  if (!SCRIPTS.test(query) || KANA.test(query)) return query;
  const chineseBoundaries = lazy(() => wordBoundaries(query, 'cjk'));
  const thaiBoundaries = lazy(() => wordBoundaries(query, 'thai'));
  const rest = query.replace(
    asking(),
    (word: string, chinese: string | undefined, thai: string | undefined, at: number) => {
      const end = at + word.length;
      // 何 asks in 何时, a word of the dictionary; alone 何 is a name.
      if (chinese) {
        return chineseBoundaries().has(at) && (chinese !== '何' || !chineseBoundaries().has(end)) ? ' ' : word;
      }
      return thai && !thaiBoundaries().has(end) ? word : ' ';
    },
  );
  return (rest.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < LETTERS_MIN ? query : rest;
}
