/** Recognizes questions for the meaning of a word: what stands there explains the word, and does not say "means". Pure. */

/** The verb of such a question, after the asked words or before them. A "definition of done" is a thing of its own. */
const AFTER =
  /^(?<open>\s*what\s+(?:does|do|did)\s.{1,200}?)\s+(?:mean|stand\s+for|signify|denote)(?<end>\s*(?:[?.!]+\s*)?(?:\(|$))/iu;
const BEFORE = new RegExp(
  [
    'what\\s+is\\s+(?:the\\s+)?(?:meaning|definition)\\s+of(?!\\s+(?:done|ready)(?!\\p{L}))|what\\s+is\\s+meant\\s+by',
    'was\\s+(?:bedeute[nt]|heißt)|wofür\\s+steh(?:t|en)|was\\s+ist\\s+die\\s+bedeutung\\s+von',
    "que\\s+(?:signifie(?:nt)?|veut\\s+dire)|qu['’]est[\\s-]ce\\s+que\\s+signifie",
    '(?:¿\\s*)?qu[eé]\\s+(?:significan?|quiere\\s+decir)|(?:che\\s+)?cosa\\s+significa(?:no)?|o\\s+que\\s+significam?',
    'wat\\s+betekent|co\\s+(?:oznacza|znaczy|znamená)|vad\\s+betyder|hvad\\s+betyder|mitä\\s+tarkoittaa|mit\\s+jelent',
    'что\\s+(?:означает|значит)|що\\s+означає|τι\\s+σημαίνει',
  ]
    .map((phrases) => `(?:${phrases})`)
    .join('|')
    .replace(/^/, '^\\s*(?:')
    .replace(/$/, ')(?=\\s)'),
  'iu',
);

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

/** Returns the question without the words that ask for a meaning; another text unchanged. */
export function withoutAskedMeaning(text: string): string {
  const words = text.replace(AFTER, '$<open>$<end>').replace(BEFORE, '').replace(AT_END, '');
  return /[\p{L}\p{N}]/u.test(words) ? words : text;
}
