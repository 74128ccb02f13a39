/** Reads from a question's words what it asks for. */
import { anyOf } from '../patterns.ts';
import { letterGroups } from './letter-groups.ts';

/** Turns text into terms, in reading order. */
export interface Analyzer {
  /** Returns the terms of all words. */
  index(text: string, language: string | null): readonly string[];
  /** Returns the terms of the words that carry a topic. */
  query(text: string, language: string | null): readonly string[];
}

export interface Question {
  text: string;
  terms: ReadonlySet<string>;
  /** Groups of neighbouring letters of the topic words, with their weights: see letter-groups.ts. */
  letters: ReadonlyMap<string, number>;
  asksNumber: boolean;
  /** Terms of names and numbers: words with a digit, and words with a capital that are not the first word. */
  names: ReadonlySet<string>;
  /** Identifiers of three words, with an underscore or with `::`, as `plainIdentifier` returns them. */
  identifiers: readonly string[];
  /** True when the question asks for a default value. */
  asksDefault: boolean;
}

/** Returns the question as the analyzer reads it in `language`. */
export function readQuestion(text: string, language: string | null, analyzer: Analyzer): Question {
  const topic = withoutQuestionWords(text);
  const terms = new Set(analyzer.query(topic, language));
  const marked = (text.match(MARKED_WORDS) ?? []).map((word) =>
    new Set(analyzer.query(word, language)).intersection(terms),
  );
  // In a title most words have a capital. "I" is no topic word and does not count.
  const isTitle = marked.filter(({ size }) => size > 0).length > terms.size / 2;
  return {
    text,
    terms,
    names: new Set(isTitle ? [] : marked.flatMap((found) => [...found])),
    letters: letterGroups(topic, (word) => analyzer.index(word, language).some((term) => terms.has(term))),
    identifiers: [...new Set((text.match(IDENTIFIERS) ?? []).map(ownName).map(plainIdentifier))],
    asksNumber: ASKS_NUMBER.test(text),
    asksDefault: ASKS_DEFAULT.test(text),
  };
}

/** Words with a capital after another word, and words with a digit. A match starts at the first letter: linear time. */
const MARKED_WORDS = /(?<=[\p{L}\p{N},]\s+)\p{Lu}[\p{L}\p{M}\p{N}-]*|(?<![\p{L}_])[\p{L}_]*\p{N}[\p{L}\p{N}._-]*/gu;

/**
 * `login_grace_time`, `LoginGraceTime`, and `thread::spawn` of `std::thread::spawn`. Names of two words, such as `JavaScript`, are often
 * left out where they are meant, as is the first part of three.
 */
const IDENTIFIERS = anyOf(
  [
    /(?<![\p{L}\p{N}_])\p{L}[\p{L}\p{N}]*_[\p{L}\p{N}_]+/u,
    /(?<![\p{L}\p{N}_])\p{L}+?\p{Ll}\p{Lu}\p{L}*?\p{Ll}\p{Lu}[\p{L}\p{N}]*/u,
    /(?<=[\p{L}\p{N}_]::)\p{L}[\p{L}\p{N}_-]*(?:::\p{L}[\p{L}\p{N}_-]*)+/u,
  ],
  'gu',
);

/** Returns the last part of a path of names if it has an underscore, else the last two parts. */
function ownName(identifier: string): string {
  const parts = identifier.split('::');
  return parts.at(-1)!.includes('_') ? parts.at(-1)! : parts.slice(-2).join('');
}

/** Returns a text so that all spellings of an identifier are the same: small letters and digits alone. */
export function plainIdentifier(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Names before the last one of a path of names. An entry seldom repeats them: `net.ipv4.` of `net.ipv4.tcp_tw_reuse`. */
const QUALIFIERS =
  /(?<![\p{L}\p{N}_])(?:[\p{L}\p{N}-]{1,64}(?:\.|::)){1,8}(?=\p{L}[\p{L}\p{N}]*(?:_|\p{Ll}\p{Lu})[\p{L}\p{N}])/gu;

/**
 * Removes question words and qualifiers. An answer does not contain them, so they would count as missing there. In languages with
 * spaces the analyzer already drops most question words as stop words. A question without other words is returned as it is.
 */
function withoutQuestionWords(text: string): string {
  const topic = text.replace(QUALIFIERS, '').replace(QUANTITY_WORDS, ' ').replace(QUESTION_WORDS, ' ');
  return /[\p{L}\p{N}]/u.test(topic) ? topic : text;
}

const QUANTITY_WORDS = /\bhow (?:many|much|long|often)\b|\bwie ?(?:viele?|lange|oft)\b|\bwieviele?\b/giu;
const QUESTION_WORDS = anyOf(
  [
    /什[么麼](?:时候|時候|样|樣)?|甚[么麼]|[为為]何|如何|何[时時处處]?|[谁誰]|哪[些里裡儿兒个個一位种種]?|多少|多[长長久]|[几幾]|怎[么麼样樣]*|是否|[吗嗎呢]/,
    /だれ|どこ|どの(?:よう|くらい)?|どれ(?:くらい)?|どんな|どう|いつ|いく[つら]|なぜ|(?:です|ます|でした|ました|でしょう|だろう)?か(?=[。?？]*\s*$)/,
    /무엇|무슨|누구|누가|어디|어느|어떤|어떻게|언제|몇|며칠|얼마|왜|(?:(?:[이였었]?[인는은던한]가|(?:[입습]니)?까|[니는]지)요?|[이였었]?나요|죠)(?=[.?？]*\s*$)/,
    /อะไร|ใคร|ที่?ไหน|ไหน|เมื่อ(?:ไร|ไหร่|ใด)|เท่า(?:ไร|ไหร่|ใด)|กี่|ทำไม|อย่างไร|ใด|หรือไม่|บ้าง/,
  ],
  'gu',
);
const ASKS_NUMBER = anyOf(
  [
    /\bmax(?:imum|imal)?\b|\bmin(?:imum|imal)?\b|\b(?:upper |lower )?limit\b|\bat (?:most|least)\b/,
    /\b(?:exit|return|status) (?:code|status)\b|\bhöchstens\b|\bmindestens\b|\bobergrenze\b|\bau (?:plus|moins)\b/,
    /\bm[aá]xim[oa]\b|最大|最小|最多|至少|\bhow (?:many|much|long|old|far|often|high|large|big|tall|deep|fast)\b/,
    /\bwhen\b|\bwhat (?:year|date|time|percentage|number|amount|age|price)\b/,
    /\bwie ?(?:viele?|lange|oft|hoch|gro[sß]+|weit|alt|teuer)\b|\bwann\b|\bcombien\b|\bquand\b/,
    /\bcu[aá]nt[oa]s?\b|\bcu[aá]ndo\b|\bquant[ioae]\b|\bquando\b|\bhoeveel\b|\bwanneer\b/,
    /сколько|когда|скільки|πόσ|πότε|\bkaç\b|ne zaman|bao nhiêu|khi nào|كم|متى|כמה|מתי|कितन|कब/,
    /กี่|เท่า(?:ไร|ไหร่)|เมื่อ(?:ไร|ไหร่)|何[日人年月時個回円歳件度分]|いくつ|いくら|いつ|どのくらい|どれくらい/,
    /多少|几[个天年月日人]|幾|何时|何時|哪[一]?年|몇|얼마|언제/,
  ],
  'iu',
);
const ASKS_DEFAULT = anyOf(
  [
    /\bdefaults?\b|\bunless\b|\bif (?:I|you|no|nothing|not)\b|\bstandard(?:mäßig|wert)?\b|\bvoreinge/,
    /\bwenn (?:ich |man )?(?:nichts|keine?)\b|\bdéfaut\b|\bdefecto\b|\bpredefini/,
    /既定|デフォルト|初期値|默认|默認|預設|기본/,
  ],
  'iu',
);
