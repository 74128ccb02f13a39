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

/** Returns the question without the words that ask for a meaning; another text unchanged. */
export function withoutAskedMeaning(text: string): string {
  const words = text.replace(AFTER, '$<open>$<end>').replace(BEFORE, '');
  return /[\p{L}\p{N}]/u.test(words) ? words : text;
}
