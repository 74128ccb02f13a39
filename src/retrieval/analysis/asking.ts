/**
 * What only asks, in scripts whose words are not told apart by blanks: 什么, 무엇, อะไร. What is asked of a text is not in it, but
 * the pairs of characters in such words are, and are rare enough to count. Only queries leave them out.
 *
 * Measured on DRCD, KorQuAD and XQuAD (zh, th). On Japanese it made no difference (JSQuAD).
 */

const CHINESE =
  '为什[么麼]|為什[么麼]|什[么麼](?:时候|時候|样的?|樣的?|名字|类型|類型)?|甚麼|怎[么麼](?:样|樣)?|哪(?:一?[个個些种種位]|一|[里裡裏儿兒])?(?!吒)|[谁誰]|多少|如何|[为為]何|何(?=[時时處处年日月人地])|[吗嗎呢](?=[?？\\s]|$)';
/** The endings go with the word; 왜 and what is counted after 몇 begin other words. */
const KOREAN =
  '(?<!\\p{L})(?:(?:무엇|누구|누가(?!복음)|언제|어디|얼마|어떻|어째서)\\p{Script=Hangul}{0,4}|어느|어떤|무슨|몇|왜(?!\\p{L}))';
/** Not within เกี่ยว, ใคร่ and ทำไม้. */
const THAI =
  '(?:คือ|ว่า|เพราะ)?อะไร|เมื่อ(?:ใด|ไร|ไหร่)|เท่า(?:ใด|ไร|ไหร่)|อย่างไร|ยังไง|ทำไม(?!้)|ใคร(?!่)|(?:ที่)?ไหน|(?:สิ่ง)?ใด|(?<!เ)กี่|หรือไม่';

const ASKING = new RegExp(`${CHINESE}|${KOREAN}|${THAI}`, 'gu');
/** What none of these scripts is in is not looked through. */
const SCRIPTS = /[\u0e00-\u0e7f\u4e00-\u9fff\uac00-\ud7a3]/;
const KANA = /[\u3040-\u30ff]/;
/** A query that has fewer letters besides asks for the words themselves. */
const LETTERS_MIN = 2;

/** The query without what only asks; as it is when hardly anything would remain. */
export function withoutAsking(query: string): string {
  if (!SCRIPTS.test(query) || KANA.test(query)) return query;
  const rest = query.replace(ASKING, ' ');
  return (rest.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < LETTERS_MIN ? query : rest;
}
