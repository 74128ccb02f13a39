/**
 * Whether a question leans on what was said before it, and a form of it that stands alone. Rules for when there is no model: they
 * look for words that point backwards, for questions that begin in the middle, and for fragments. Pure.
 */
import { queryWords } from '../../text/analyzer.ts';

/** Words of earlier questions that are added, at most: each counts once, so the question itself outweighs them. */
export const CARRIED_WORDS_MAX = 8;
/** Earlier questions that are looked at, when those themselves lean on others. */
const QUESTIONS_MAX = 3;
/** Two words are a search of their own: "dinosaurs in Patagonia?" */
const FRAGMENT_WORDS_MAX = 1;
/** What a pronoun may point to in the question itself has at least so many words. */
const NOUN_WORDS_MIN = 2;
const OPENED_WORDS_MAX = 3;
const MAYBE_WORDS_MAX = 3;
const QUESTION_UNITS_MAX = 2_000;
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'pl', 'ru', 'tr'];

export interface Said {
  role: string;
  content: string;
}

/** `maybe`: short enough that only a reader can tell. */
export type Leaning = 'no' | 'maybe' | 'yes';

const words = (list: string, flags = 'iu'): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])`, flags);

/** What looks like a pronoun and points nowhere. */
const EMPTY_PHRASES = [
  words(
    "is it (?:not )?(?:possible|necessary|allowed|permitted|required|true|ok|okay|legal|safe|mandatory|worth|important|better|best)|it (?:is|was|'s) (?:possible|necessary|allowed|true|that)|(?:does|did|would|will) it (?:take|cost)(?= .* to )|it takes|what time is it|what is it (?:called|like) (?:when|to)",
  ),
  words('(?:is|are|was|were|will|has|have|been) there|there (?:is|are|was|were|will|has|have)'),
  words('this (?:year|month|week|morning|evening|afternoon|time|weekend|century)|these days'),
  words(
    'gibt es|es gibt|gab es|ist es (?:nicht )?(?:möglich|erlaubt|nötig|notwendig|verboten|wahr|sinnvoll|zulässig)|(?:dauert|kostet|braucht) es(?=,)|handelt es sich|geht es (?:bei|in|um)|dieses (?:jahr|mal|wochenende)|diesen monat|diese woche',
  ),
  words("y a-t-il|il y a|est-il (?:possible|permis|nécessaire)|faut-il|s'agit-il|quelle heure est-il|il faut"),
  /其他|其它|其中|其实|其次|其余|应该|應該|该(?=怎|如|不|做|去|用)|那么(?=多|大|高|远|久|快)|これから|それぞれ|そのまま|このまま|ここ(?:数|最近)/gu,
];

const POINTERS = [
  words(
    'it|its|itself|they|them|their|theirs|he|him|his|she|her|hers|these|those|this|the (?:same|latter|former|other one|others)|(?:that|this|which|other|the) ones?|such (?:a )?(?:case|cases)|there(?=[?.!]|$| (?:from|by|on|in|with|without|and|to|at) )',
  ),
  words(
    '(?:about|of|with|for|to|like|than|after|before|by|on|in|from|is|was|does|did|do|has|mean|means|without) that(?=\\s*[?.!,]|$)',
  ),
  /^(?:and |but |so |or )?(?:is|was|does|did|can|will|would|has|should|do|are) (?:that|those|these|this)\b/iu,
  /^(?:and |but |so )?(?:why|how|when|where|who) (?:is|was|does|did|can|will|would) that\b/iu,
  words('er|es|ihn|ihm|ihnen|sie|ihr|ihre[rnms]?|seine[rnms]?|sein(?= \\p{Lu})|deren|dessen', 'u'),
  words(
    'diese[rsnm]?|jene[rsnm]?|dort|dorthin|dabei|dafür|dagegen|damit|danach|daran|darauf|daraus|darin|darüber|davon|davor|dazu|letztere[rsnm]?|erstere[rsnm]?|(?:der|die|das)selbe[nm]?',
  ),
  /(?<![\p{L}\p{N}])(?:das|die|der|den|dem)(?=\s*[?.!]|$|\s+(?:denn|auch|nicht|so|dann|jetzt|heute|hier|genau|eigentlich|noch|schon|sein|ist|gilt|kostet|kosten|dauert|funktioniert|bedeutet|alles|immer|überhaupt)(?!\p{L}))/iu,
  words('il|elle|ils|elles|lui|cela|ça|celui-ci|celle-ci|ceux-ci|celles-ci|ce dernier|cette dernière'),
  words('él|ella|ellos|ellas|eso|esto|aquello|allí|ahí'),
  words('он|она|оно|они|его|её|ее|ему|их|им|нём|нем|ней|них'),
  /它们?|牠|他们?|她们?|這|这(?!是|里有没有)|那(?=个|個|些|样|樣|里|裡|儿|种|種|家|位|本|项|項|次)|其(?=\p{sc=Han})|该(?=\p{sc=Han})|該(?=\p{sc=Han})|此(?!外)|前者|后者|後者|上述|刚才|剛才/u,
  /それ|これ|あれ|その|この(?!世)|あの|そこ|ここ|あそこ|そちら|そういう|そんな|こんな|そう(?=です|なる|いう|か)|彼女?|前者|後者|同社|同氏|同じ/u,
  /그것|그거|이것|이거|거기|그곳|그녀|그들|그\s(?=\p{sc=Hang})/u,
];

/** A question that goes on where another ended. */
const OPENERS_ALWAYS = [
  /^(?:and |but |so |ok |okay |then )?(?:what|how) about(?!\p{L})/iu,
  /^(?:what|who|where|anything|anyone|which) (?:else|other)(?!\p{L})/iu,
  /^(?:und |aber |ok )?(?:was ist mit|wie (?:ist|sieht|steht|verhält) es|wie sieht['’]?s|was noch|wer noch|wo noch|was sonst|wer sonst)(?!\p{L})/iu,
  /^(?:et |mais )?(?:qu['’]en est-il|quid)(?!\p{L})/iu,
  /^(?:y |pero )?(?:qué (?:hay|pasa) (?:de|con))(?!\p{L})/iu,
  /^(?:那么?|那麼|还有|還有|另外|然后|然後|而且|但是|可是)(?!里|裡|儿|个|個|些|种|種|年|天|时|時|位|家)/u,
  /^(?:では|じゃあ?|それでは|それなら|それとも|ちなみに|あと|また|でも|ほかに|他に|もし|なら|すると|で、)/u,
  /(?:は|だと|なら|の場合は?|について(?:は)?|も)\s*[？?]$/u,
  /^(?:그럼|그러면|그리고|그런데|그래서)/u,
];

/** The same, unless enough follows. */
const OPENERS_SHORT =
  /^(?:and|or|but|so|then|also|und|oder|aber|also|dann|auch|et|ou|mais|alors|donc|y|o|pero|entonces|e|ma|allora|а|и|или|но|тогда|en|maar|of|och|men)(?![\p{L}\p{N}'’])/iu;

/** Asks for a reason: of what, when little follows? */
const WHY = /^(?:why|warum|wieso|weshalb|pourquoi|perché|waarom|varför|почему|por qué|por quê)(?![\p{L}\p{N}'’])/iu;

/** Asks what a word means: one word is enough. */
const DEFINITION =
  /^(?:what|who|where)(?:['’]s| (?:is|are|was|were))(?!\p{L})|^(?:define|explain|was (?:ist|sind|heißt|bedeutet)|wer (?:ist|war|sind)|wo (?:ist|liegt|sind)|erkläre?|qu['’]est-ce|qui est|où est|qué (?:es|son)|quién es|che cos|chi è|o que é|что такое|кто такой|nedir)(?!\p{L})|什么是|什麼是|是什么|是什麼|是谁|是誰|とは|何ですか|在哪|哪里|どこ|誰/iu;

/** Whoever finds one of these has a whole sentence before them. */
const FINITE =
  /(?<![\p{L}\p{N}])(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must|shall|ist|sind|war|waren|hat|haben|hatte|hatten|kann|können|konnte|darf|dürfen|muss|müssen|soll|sollen|sollte|will|wollen|wird|werden|wurde|wurden|gibt|gab|est|sont|était|peut|doit|ont|avait|es|son|era|puede|debe|hay|è|sono|può|é|são|pode|há)(?![\p{L}\p{N}])|(?<=[\p{L}])['’](?:s|re|ve|ll|d)(?!\p{L})/iu;
/** German verbs are written small. */
const GERMAN_VERB = /(?<!\p{L})\p{Ll}{2,}(?:t|en|st|te|ten|ern|eln)(?!\p{L})/u;
const CLAUSE_BORDER =
  /[,;，、；]|(?<!\p{L})(?:when|if|while|because|after|before|once|until|that|who|which|whose|and|or|wenn|weil|nachdem|bevor|dass|und|oder|sobald|während|falls|ob|quand|si|parce|que|et|cuando|porque|y)(?!\p{L})/giu;

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });
const HAN = /[\p{sc=Han}\p{sc=Kana}]/u;
const CJK_RUN = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー々]+/gu;
/** Chinese and Japanese words that carry no topic. */
const CJK_STOP = new Set(
  '什么 什麼 怎么 怎麼 怎样 如何 多少 哪 哪个 哪里 哪些 哪儿 谁 誰 几 幾 何 何時 何人 何日 何年 何個 何回 何円 为什么 為什麼 为何 是否 可以 能 能否 会 會 有 没有 沒有 是 的 了 吗 嗎 呢 吧 啊 和 与 與 及 或 在 从 從 到 对 對 把 被 给 給 让 用 也 都 就 还 還 又 再 很 最 太 请问 請問 请 請 问 我 我们 我們 你 你们 您 他 她 它 他们 她们 它们 这 這 那 这个 那个 这些 那些 个 個 一 一个 不 要 需要 应该 多 多久 多长 大 吗 么 时候 時候 什么样 那么 还有 如果 要是 的话 呢 其 该 此 誰 教 教えて 下さい 場合 時 方 事 物 彼 彼女 同 他 今 年 月 日 什么时候 时间 時間 不在 何时 現在 现在'.split(
    ' ',
  ),
);

interface Topic {
  word: string;
  at: number;
}

/** Words that say what a text is about, each once, in the order of the text. */
export function topicWords(text: string): string[] {
  return topicsOf(text).map(({ word }) => word);
}

function topicsOf(text: string): Topic[] {
  const cut = text.slice(0, QUESTION_UNITS_MAX);
  const lower = cut.toLowerCase();
  const found = new Map<string, Topic>();
  const add = (word: string, at: number): void => {
    if (at >= 0 && !found.has(word)) found.set(word, { word, at });
  };
  const spaced = cut.replace(CJK_RUN, (run) => ' '.repeat(run.length));
  for (const { word } of queryWords(spaced, LANGUAGES)) add(word, lower.indexOf(word.toLowerCase()));
  for (const run of cut.matchAll(CJK_RUN)) {
    for (const { segment, index } of segmenter.segment(run[0])) {
      if (HAN.test(segment) && !CJK_STOP.has(segment)) add(segment, run.index + index);
    }
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

/** Words of scripts without blanks are carried as they stand together: dictionaries cut them in places that do not matter here. */
function carriedWords(text: string): string[] {
  const joined: Topic[] = [];
  for (const topic of topicsOf(text)) {
    const last = joined.at(-1);
    if (last && HAN.test(topic.word) && HAN.test(last.word) && last.at + last.word.length === topic.at)
      last.word += topic.word;
    else joined.push({ ...topic });
  }
  return joined.map(({ word }) => word);
}

export function leaning(question: string): Leaning {
  const text = question.trim().slice(0, QUESTION_UNITS_MAX);
  const topics = topicWords(withoutFunctionWords(text));
  if (pointsBack(text)) return 'yes';
  if (OPENERS_ALWAYS.some((opener) => opener.test(text)) && topics.length <= OPENED_WORDS_MAX) return 'yes';
  if (
    /呢[？?]?$/u.test(text) &&
    topics.length <= OPENED_WORDS_MAX &&
    !/什么|什麼|怎|多少|哪|谁|誰|几|幾|如何/u.test(text)
  )
    return 'yes';
  if (OPENERS_SHORT.test(text) && topics.length <= OPENED_WORDS_MAX) return 'yes';
  const isCjk = HAN.test(text);
  if (WHY.test(text) && topics.length <= FRAGMENT_WORDS_MAX) return 'yes';
  if (topics.length === 0 || (isCjk && topics.length === 1 && !DEFINITION.test(text))) return 'yes';
  const isFragment =
    !isCjk &&
    topics.length <= FRAGMENT_WORDS_MAX &&
    !FINITE.test(text) &&
    !GERMAN_VERB.test(text) &&
    !DEFINITION.test(text);
  if (isFragment) return 'yes';
  return topics.length <= MAYBE_WORDS_MAX && !DEFINITION.test(text) ? 'maybe' : 'no';
}

const POSSESSIVE = /^(?:its|their|his|her|ihre[rnms]?|seine[rnms]?|sein|deren|dessen|其)$/iu;

/** A pronoun whose noun may stand in the question itself, a clause before it, points there. */
function pointsBack(text: string): boolean {
  const plain = EMPTY_PHRASES.reduce((left, phrase) => left.replace(phrase, ' '), text.replace(/\bIT\b/g, 'I.T.'));
  for (const pointer of POINTERS) {
    const match = pointer.exec(plain);
    if (match === null) continue;
    const before = plain.slice(0, match.index);
    // "How many days do interns get in their first year?"
    if (POSSESSIVE.test(match[0]) && topicWords(before).length >= NOUN_WORDS_MIN) continue;
    const border = [...before.matchAll(CLAUSE_BORDER)].at(-1);
    if (border === undefined || topicWords(before.slice(0, border.index)).length < NOUN_WORDS_MIN) return true;
  }
  return false;
}

/** "How many", "wie viele": amounts are asked for of something. */
function withoutFunctionWords(text: string): string {
  return text.replace(
    words(
      'how (?:many|much|long|often|far|old)|many|much|about|else|wie ?(?:viele?|lange|oft|weit|alt)|viele|combien|cuánt[oa]s?',
      'giu',
    ),
    ' ',
  );
}

/** The question with words of those before it, or null when it stands alone or nothing stands before it. */
export function carryOver(question: string, history: readonly Said[]): string | null {
  if (leaning(question) !== 'yes') return null;
  const own = new Set(topicWords(question));
  const carried: string[] = [];
  const asked = history.filter(({ role }) => role === 'user').map(({ content }) => content);
  for (const earlier of asked.reverse().slice(0, QUESTIONS_MAX)) {
    for (const word of carriedWords(withoutFunctionWords(earlier))) {
      if (!own.has(word) && !carried.includes(word)) carried.push(word);
    }
    if (leaning(earlier) !== 'yes') break;
  }
  const answer = PERSON.test(question) ? history.findLast(({ role }) => role === 'assistant')?.content : undefined;
  carried.unshift(...nameIn(answer ?? '', carried).filter((part) => !carried.includes(part)));
  return carried.length === 0 ? null : `${question.trim()} ${carried.slice(0, CARRIED_WORDS_MAX).join(' ')}`;
}

const PERSON = words(
  'he|him|his|she|her|hers|er|sie|ihn|ihm|ihre?|seine[rnms]?|il|elle|lui|él|ella|он|она|его|её|ему|ей',
);

/** The first name of several words in an answer that is not wholly in the question. */
function nameIn(answer: string, asked: readonly string[]): string[] {
  for (const [name] of answer
    .slice(0, QUESTION_UNITS_MAX)
    .matchAll(/\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+){1,2}/gu)) {
    const parts = name.split(/\s+/);
    if (!parts.every((part) => asked.some((word) => word.toLowerCase() === part.toLowerCase()))) return parts;
  }
  return [];
}
