/**
 * Recognizes the words that make a text a question. A passage that answers has none of them. A heading of a list of questions has them,
 * whatever it asks. In languages whose question words are single words between blanks, the analyzer drops them as stop words. Pure.
 */

import { lazy } from '../util/lazy.ts';
import { readWordLists } from '../util/package-files.ts';
import { isStopWord } from './analysis/stop-words.ts';
import { fold } from './fold.ts';

/**
 * The verb of a question for the meaning of a word: what stands there explains the word, and does not say "means". The verb stands
 * after the asked words or before them. A "definition of done" is a thing of its own.
 */
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

/** The end of a sentence. */
const END = '(?=[。．?？!！]|\\.?(?:\\s|$))';
/** A place before which no hiragana stand but particles: どの is no question word in などの. */
const BEGIN = '(?<![^はがをのにでとも\\P{sc=Hira}])';

/** Letters behind the Japanese or Chinese 何 of a question: without them, 何炅 is a name. */
const COUNTED =
  '(?:[时時年月日人回個个件番分秒度本枚冊册台曜者故種种処处處歳歲円階层層世色語语国國県市区區名位点點行列桁週周倍億字社]|文字)';
/** Words after 几 in a question: others follow it in 几何 and 几内亚. */
const MEASURES =
  '[个個次天种種点點位年月号號台行层層条條分秒岁歲张張章页頁节節项項级級步字元块塊倍名件家只隻把周週小十百千万萬人楼樓本款篇份]';

/** Other words hold some of these letters: 吗啡, ぶどう, いつも, どこでもドア, 왜곡, เกี่ยว, ใคร่. */
const QUESTION_WORDS = new RegExp(
  [
    '(?:[是有]|是?[做干幹])什[么麼](?:作?用途?)?的?|[为為]?什[么麼](?:时候|時候|样|樣)?|甚[么麼]|[为為]何|如何|何[时時处處]|[谁誰]|哪(?!吒|儿网)[些里裡儿兒个個一位种種]?|多少|多[长長久]',
    `第[几幾]|(?<!茶)[几幾](?=${MEASURES})|怎[么麼样樣]{1,2}[办辦做]?|是否|(?:[吗嗎]|(?<![毛花])呢)(?!\\p{L})|[请請][问問]`,
    `(?<![任几幾])何(?:(?:です|でしょう)か|(?!でも|\\p{sc=Han})|(?=${COUNTED}))|どんな|いくつ(?!か)|(?<!なぜ)なぜ(?!なぜ)`,
    `${BEGIN}(?:(?<!\\p{sc=Han})だれ|どこ(?!ろ)|どの(?:よう|くらい)?|どれ(?!み)(?:くらい)?)(?!でも)`,
    `どう(?:すれば|したら|やれば|やったら|やって)(?:[いよ良]い(?:です|でしょう)?か?)?|${BEGIN}どう(?![^しすなでいやかとみ\\P{sc=Hira}])(?:なり?ます|なる)?`,
    `(?<=^|[\\s、。はがをのにでとも])いつ(?:ごろ)?(?![^かにのでがはま\\P{sc=Hira}]|でも)|いくら(?=です|か${END})`,
    `と(?:表示され|出)(?:まし|ま)?[するた]${END}|[をが](?:教えて(?:ください|下さい|くれ)?|知りたい(?:です)?)${END}`,
    `(?:[のん]?(?:です|でした|でしょう|だろう)|ます|ました)か${END}|か(?=[?？])`,
    '(?<!\\p{L})(?:무엇|무슨|누구|어디|어느|어떤|언제|몇|며칠|얼마나?|누가(?!\\p{L})|왜(?!\\p{L}))',
    `(?<!\\p{L})어떻게(?: (?:하면|해야) (?=[되하]))?(?: [하되해합](?:나요|요|죠|니까|는지)${END})?`,
    `(?:(?:(?<=\\p{L})[이였었]?[인는은던한]가|(?:[입습]니)?까|[니는]지)요?|[이였었하되]?나요|(?<!죠)죠)${END}|[을를]? ?알려 ?(?:주세요|줘요?)${END}`,
    '(?:ใช้)?ทำอะไร|อะไร|ใคร(?!่)|ที่?ไหน|ไหน|เมื่อ(?:ไร|ไหร่|ใด)|เท่า(?:ไร|ไหร่|ใด)|(?<!เ)กี่(?!เพ้า|ทอ)',
    `ทำไม|(?:ต้อง)?(?:ทำ)?(?:อย่างไร|ยังไง)(?:ดี)?|ใด|หรือ(?:ไม่|เปล่า)|บ้าง|(?:ครับ|ค่ะ|คะ)${END}`,
    '(?<!\\p{L})(?:(?:làm|như) )?(?:thế|cách) nào(?: để)?(?!\\p{L})|(?<!\\p{L})(?:làm|tại|vì|ra|thì) sao(?: để)?(?!\\p{L})',
    '(?<!\\p{L})(?:bao (?:nhiêu|giờ|lâu)|là (?:gì|ai)|(?:dùng )?(?:để )?làm gì|khi nào|ở đâu|hay không|được không)(?!\\p{L})',
    '(?<!\\p{L})(?:lam sao(?: de)?|bao (?:nhieu|gio|lau)|la gi(?=[?.!\\s]{0,9}$)|tai sao)(?!\\p{L})',
    '(?<!\\p{L})(?:lam|nhu) the nao(?: de)?(?!\\p{L})',
  ].join('|'),
  'giu',
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
/** What stands before a word in quotes, which is searched for as it is: `"Tell me" lyrics`. */
const QUOTE_BEFORE = /["“„«»「『]$|«\s$/u;

interface Asked {
  /** The question without its question words and asking phrases; a text without other words unchanged. */
  topic: string;
  /** The language of an asking phrase. */
  language?: string;
}

export function withoutQuestionWords(text: string): Asked {
  const words = text
    .replace(AFTER, '$<open>$<end>')
    .replace(DEFINITION, '')
    .replace(AT_END, '')
    .replace(QUESTION_WORDS, ' ');
  return withoutPhrases(/[\p{L}\p{N}]/u.test(words) ? words : text);
}

/** Leaves at least one word beside the phrases. Beside two words of a phrase, one is no stop word: "Tell me why" is the title of a song. */
function withoutPhrases(text: string): Asked {
  const words = [...text.matchAll(WORDS)];
  const languageOf = (from: number, to: number): string | undefined => {
    const [start, end] = [words[from]!.index, endOf(words[to - 1]!)];
    if (end - start > PHRASE_UNITS_MAX || QUOTE_BEFORE.test(text.slice(Math.max(0, start - 2), start)))
      return undefined;
    return askingPhrases().get(plainWords(text.slice(start, end)));
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
  const kept = words.slice(first, last);
  const isStop = ([word]: RegExpExecArray): boolean => isStopWord(word.toLowerCase(), language ?? '');
  if (words.length - kept.length <= 2 && kept.every(isStop)) return { topic: text };
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
