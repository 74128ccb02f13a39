/**
 * Finds whether a question depends on the conversation before it, and makes a form of the question that stands alone. The rules
 * serve when there is no model. They look for words that point back, for openings that continue a sentence, and for fragments.
 */
import { queryWords } from '../../text/analyzer.ts';
import { anyOf } from '../patterns.ts';
import { wordsIn } from '../word-lists.ts';

/** Maximum words that are added from earlier questions. Each word counts once, so the question itself outweighs them. */
export const CARRIED_WORDS_MAX = 8;
/** Maximum earlier questions whose words are added, when those questions depend on the conversation too. */
const QUESTIONS_MAX = 3;
/** Maximum topic words of a fragment. Two words are a search of their own: "dinosaurs in Patagonia?" */
const FRAGMENT_WORDS_MAX = 1;
/** Minimum topic words before a pronoun that may contain its noun. */
const NOUN_WORDS_MIN = 2;
const OPENED_WORDS_MAX = 3;
const MAYBE_WORDS_MAX = 3;
const QUESTION_UNITS_MAX = 2_000;
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'pl', 'ru', 'tr'];

/** A message of the conversation. */
export interface PastMessage {
  role: string;
  content: string;
}

/** Whether a question depends on the conversation. `maybe` means that the question is so short that only a reader can tell. */
export type Dependence = 'no' | 'maybe' | 'yes';

/** Returns a pattern that matches one of the alternatives as whole words. */
const words = (alternatives: string | readonly string[], flags = 'iu'): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${[alternatives].flat().join('|')})(?![\\p{L}\\p{N}])`, flags);

/** Phrases with a word that looks like a pronoun but points to nothing. */
const EMPTY_PHRASES = [
  words([
    'is it (?:not )?(?:possible|necessary|allowed|permitted|required|true|ok|okay|legal|safe|mandatory|worth|important|better|best)',
    "it (?:is|was|'s) (?:possible|necessary|allowed|true|that)",
    '(?:does|did|would|will) it (?:take|cost)(?= .* to )',
    'it takes',
    'what time is it',
    'what is it (?:called|like) (?:when|to)',
  ]),
  words('(?:is|are|was|were|will|has|have|been) there|there (?:is|are|was|were|will|has|have)'),
  words('this (?:year|month|week|morning|evening|afternoon|time|weekend|century)|these days'),
  words([
    'gibt es|es gibt|gab es',
    'ist es (?:nicht )?(?:möglich|erlaubt|nötig|notwendig|verboten|wahr|sinnvoll|zulässig)',
    '(?:dauert|kostet|braucht) es(?=,)|handelt es sich|geht es (?:bei|in|um)',
    'dieses (?:jahr|mal|wochenende)|diesen monat|diese woche',
  ]),
  words("y a-t-il|il y a|est-il (?:possible|permis|nécessaire)|faut-il|s'agit-il|quelle heure est-il|il faut"),
  /其他|其它|其中|其实|其次|其余|应该|應該|该(?=怎|如|不|做|去|用)|那么(?=多|大|高|远|久|快)|これから|それぞれ|そのまま|このまま|ここ(?:数|最近)/gu,
];

/** Words that point back to something that was said before. */
const POINTERS = [
  words([
    'it|its|itself|they|them|their|theirs|he|him|his|she|her|hers|these|those|this',
    'the (?:same|latter|former|other one|others)|(?:that|this|which|other|the) ones?|such (?:a )?(?:case|cases)',
    'there(?=[?.!]|$| (?:from|by|on|in|with|without|and|to|at) )',
  ]),
  words([
    '(?:about|of|with|for|to|like|than|after|before|by|on|in|from) that(?=\\s*[?.!,]|$)',
    '(?:is|was|does|did|do|has|mean|means|without) that(?=\\s*[?.!,]|$)',
  ]),
  /^(?:and |but |so |or )?(?:is|was|does|did|can|will|would|has|should|do|are) (?:that|those|these|this)\b/iu,
  /^(?:and |but |so )?(?:why|how|when|where|who) (?:is|was|does|did|can|will|would) that\b/iu,
  words('er|es|ihn|ihm|ihnen|sie|ihr|ihre[rnms]?|seine[rnms]?|sein(?= \\p{Lu})|deren|dessen', 'u'),
  words([
    'diese[rsnm]?|jene[rsnm]?|letztere[rsnm]?|erstere[rsnm]?|(?:der|die|das)selbe[nm]?',
    'dort|dorthin|dabei|dafür|dagegen|damit|danach|daran|darauf|daraus|darin|darüber|davon|davor|dazu',
  ]),
  anyOf(
    [
      /(?<![\p{L}\p{N}])(?:das|die|der|den|dem)(?=\s*[?.!]|$)/u,
      /(?<![\p{L}\p{N}])(?:das|die|der|den|dem)(?=\s+(?:denn|auch|nicht|so|dann|jetzt|heute|hier|genau|eigentlich|noch)(?!\p{L}))/u,
      /(?<![\p{L}\p{N}])(?:das|die|der|den|dem)(?=\s+(?:schon|sein|ist|gilt|kostet|kosten|dauert|funktioniert)(?!\p{L}))/u,
      /(?<![\p{L}\p{N}])(?:das|die|der|den|dem)(?=\s+(?:bedeutet|alles|immer|überhaupt)(?!\p{L}))/u,
    ],
    'iu',
  ),
  words('il|elle|ils|elles|lui|cela|ça|celui-ci|celle-ci|ceux-ci|celles-ci|ce dernier|cette dernière'),
  words('él|ella|ellos|ellas|eso|esto|aquello|allí|ahí'),
  words('он|она|оно|они|его|её|ее|ему|их|им|нём|нем|ней|них'),
  anyOf(
    [
      /它们?|牠|他们?|她们?|這|这(?!是|里有没有)|那(?=个|個|些|样|樣|里|裡|儿|种|種|家|位|本|项|項|次)/u,
      /其(?=\p{sc=Han})|该(?=\p{sc=Han})|該(?=\p{sc=Han})|此(?!外)|前者|后者|後者|上述|刚才|剛才/u,
    ],
    'u',
  ),
  /それ|これ|あれ|その|この(?!世)|あの|そこ|ここ|あそこ|そちら|そういう|そんな|こんな|そう(?=です|なる|いう|か)|彼女?|前者|後者|同社|同氏|同じ/u,
  /그것|그거|이것|이거|거기|그곳|그녀|그들|그\s(?=\p{sc=Hang})/u,
];

/** Openings of a question that continues another one. */
const OPENERS_ALWAYS = [
  /^(?:and |but |so |ok |okay |then )?(?:what|how) about(?!\p{L})/iu,
  /^(?:what|who|where|anything|anyone|which) (?:else|other)(?!\p{L})/iu,
  /^(?:und |aber |ok )?(?:was ist mit|wie (?:ist|sieht|steht|verhält) es|wie sieht['’]?s|(?:was|wer|wo) noch|(?:was|wer) sonst)(?!\p{L})/iu,
  /^(?:et |mais )?(?:qu['’]en est-il|quid)(?!\p{L})/iu,
  /^(?:y |pero )?(?:qué (?:hay|pasa) (?:de|con))(?!\p{L})/iu,
  /^(?:那么?|那麼|还有|還有|另外|然后|然後|而且|但是|可是)(?!里|裡|儿|个|個|些|种|種|年|天|时|時|位|家)/u,
  /^(?:では|じゃあ?|それでは|それなら|それとも|ちなみに|あと|また|でも|ほかに|他に|もし|なら|すると|で、)/u,
  /(?:は|だと|なら|の場合は?|について(?:は)?|も)\s*[？?]$/u,
  /^(?:그럼|그러면|그리고|그런데|그래서)/u,
];

/** Openings that continue another question when little follows. */
const OPENERS_SHORT = new RegExp(`^(?:${[...wordsIn('openers')].join('|')})(?![\\p{L}\\p{N}'’])`, 'iu');

/** Questions for a reason. When little follows, the question does not say of what. */
const WHY = /^(?:why|warum|wieso|weshalb|pourquoi|perché|waarom|varför|почему|por qué|por quê)(?![\p{L}\p{N}'’])/iu;

/** Questions about the meaning of a word. One topic word is enough for them. */
const DEFINITION = anyOf(
  [
    /^(?:what|who|where)(?:['’]s| (?:is|are|was|were))(?!\p{L})/u,
    /^(?:define|explain|was (?:ist|sind|heißt|bedeutet)|wer (?:ist|war|sind)|wo (?:ist|liegt|sind)|erkläre?)(?!\p{L})/u,
    /^(?:qu['’]est-ce|qui est|où est|qué (?:es|son)|quién es|che cos|chi è|o que é|что такое|кто такой|nedir)(?!\p{L})/u,
    /什么是|什麼是|是什么|是什麼|是谁|是誰|とは|何ですか|在哪|哪里|どこ|誰/u,
  ],
  'iu',
);

/** Finite verbs. A question with one is a whole sentence. */
const FINITE_VERB = anyOf([words([...wordsIn('finite-verbs')]), /(?<=[\p{L}])['’](?:s|re|ve|ll|d)(?!\p{L})/u], 'iu');
/** German verbs, which begin with a small letter. */
const GERMAN_VERB = /(?<!\p{L})\p{Ll}{2,}(?:t|en|st|te|ten|ern|eln)(?!\p{L})/u;
const CLAUSE_BORDER = anyOf(
  [
    /[,;，、；]/u,
    /(?<!\p{L})(?:when|if|while|because|after|before|once|until|that|who|which|whose|and|or)(?!\p{L})/u,
    /(?<!\p{L})(?:wenn|weil|nachdem|bevor|dass|und|oder|sobald|während|falls|ob)(?!\p{L})/u,
    /(?<!\p{L})(?:quand|si|parce|que|et|cuando|porque|y)(?!\p{L})/u,
  ],
  'giu',
);

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });
const HAN = /[\p{sc=Han}\p{sc=Kana}]/u;
const CJK_RUN = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー々]+/gu;
/** Chinese and Japanese words that carry no topic. */
const TOPICLESS_WORDS = wordsIn('topicless-words');

/** A word that says what a text is about, and its place in the text. */
interface Topic {
  word: string;
  at: number;
}

/** Returns the words that say what a text is about, each once, in the order of the text. */
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
      if (HAN.test(segment) && !TOPICLESS_WORDS.has(segment)) add(segment, run.index + index);
    }
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

/**
 * Returns the topic words that an earlier question hands on. Neighbouring words of scripts without spaces stay together, because a
 * dictionary may cut one name into several words.
 */
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

/** Returns whether a question depends on what was said before it. */
export function dependsOnHistory(question: string): Dependence {
  const text = question.trim().slice(0, QUESTION_UNITS_MAX);
  const topics = topicWords(withoutQuantityWords(text));
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
    !FINITE_VERB.test(text) &&
    !GERMAN_VERB.test(text) &&
    !DEFINITION.test(text);
  if (isFragment) return 'yes';
  return topics.length <= MAYBE_WORDS_MAX && !DEFINITION.test(text) ? 'maybe' : 'no';
}

const POSSESSIVE = /^(?:its|their|his|her|ihre[rnms]?|seine[rnms]?|sein|deren|dessen|其)$/iu;

/** Returns true when a word points back to an earlier message. A pronoun does not count when its noun may stand in a clause before it. */
function pointsBack(text: string): boolean {
  const plain = EMPTY_PHRASES.reduce((rest, phrase) => rest.replace(phrase, ' '), text.replace(/\bIT\b/g, 'I.T.'));
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

/** Removes "how many", "wie viele" and the like, which carry no topic. */
function withoutQuantityWords(text: string): string {
  return text.replace(
    words(
      'how (?:many|much|long|often|far|old)|many|much|about|else|wie ?(?:viele?|lange|oft|weit|alt)|viele|combien|cuánt[oa]s?',
      'giu',
    ),
    ' ',
  );
}

/** Returns the question with words of earlier questions; null when the question stands alone or no earlier question has words. */
export function carryOver(question: string, history: readonly PastMessage[]): string | null {
  if (dependsOnHistory(question) !== 'yes') return null;
  const present = new Set(topicWords(question));
  const carried: string[] = [];
  const asked = history.filter(({ role }) => role === 'user').map(({ content }) => content);
  for (const earlier of asked.reverse().slice(0, QUESTIONS_MAX)) {
    for (const word of carriedWords(withoutQuantityWords(earlier))) {
      if (!present.has(word) && !carried.includes(word)) carried.push(word);
    }
    if (dependsOnHistory(earlier) !== 'yes') break;
  }
  const answer = PERSON.test(question) ? history.findLast(({ role }) => role === 'assistant')?.content : undefined;
  carried.unshift(...nameIn(answer ?? '', carried).filter((part) => !carried.includes(part)));
  return carried.length === 0 ? null : `${question.trim()} ${carried.slice(0, CARRIED_WORDS_MAX).join(' ')}`;
}

/** Pronouns that stand for a person. */
const PERSON = words(
  'he|him|his|she|her|hers|er|sie|ihn|ihm|ihre?|seine[rnms]?|il|elle|lui|él|ella|он|она|его|её|ему|ей',
);

/** Returns the words of the first name of several words in an answer whose words are not all in `known`. */
function nameIn(answer: string, known: readonly string[]): string[] {
  for (const [name] of answer
    .slice(0, QUESTION_UNITS_MAX)
    .matchAll(/\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+){1,2}/gu)) {
    const parts = name.split(/\s+/);
    if (!parts.every((part) => known.some((word) => word.toLowerCase() === part.toLowerCase()))) return parts;
  }
  return [];
}
