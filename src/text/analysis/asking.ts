/**
 * What only asks, in scripts whose words are not told apart by blanks: 什么, 무엇, อะไร. What is asked of a text is not in it, but
 * the pairs of characters in such words are, and are rare enough to count. Only queries leave them out, and only where the
 * dictionary sees a word of its own: not in 任何人 or 粗花呢.
 *
 * Measured on DRCD, KorQuAD and XQuAD (zh, th). On Japanese it made no difference (JSQuAD).
 */
import { wordBoundaries } from './segments.ts';

/** Not within 哪吒, 华为何以 and 吴为何年. */
const CHINESE =
  '为什[么麼]|為什[么麼]|什[么麼](?:时候|時候|样的?|樣的?|名字|类型|類型)?|甚麼|怎[么麼](?:样|樣)?|哪(?:一?[个個些种種位]|一|[里裡裏儿兒])?(?!吒)|[谁誰]|多少|(?<![例譬])如何|(?<![华華])[为為]何(?![时時处處年日月人地种種物])|何(?=[时時处處年日月地])|[吗嗎呢](?=[?？\\s]|$)';
/** With an ending of this list and nothing behind it; 누가 (Luke, nougat) only asks in a question, and 몇 counts what follows. */
const KOREAN_ENDING =
  '가|이|을|를|은|는|도|와|과|와의|과의|의|로|으로|로부터|으로부터|으로서의|에|에서|에게|에게서|에도|에만|서|만|만을|나|이나|든|든지|라|이라|라고|이라고|부터|까지|부터인가|까지인가|때문에|때문인가|인가|인가요|인지|인데|일까|일까요|입니까|이었는가|이었나|이었나요|이었을까|이였나|였는가|였나|였나요|였을까|에요|예요|이에요|이며|이고|이냐|이야|야|니|죠|이죠|지';
const KOREAN = `(?<!\\p{L})(?:(?:무엇|누구|언제|어디|얼마|어째서)(?:${KOREAN_ENDING})?(?!\\p{L})|어떻(?:게|습니까)(?!\\p{L})|누가(?=\\s(?!복음|크래커)[^\\n]*(?:\\?|까|나|나요|[는은인던]가)\\s*$)|어느(?![새덧])|어떤|무슨|몇|왜(?!\\p{L}))`;
/** Not within ใคร่, ทำไม้ and กี่เพ้า, nor กี่ at the end: it counts what follows. */
const THAI =
  '(?:คือ|ว่า|เพราะ)?อะไร|เมื่อ(?:ใด|ไร|ไหร่)|เท่า(?:ใด|ไร|ไหร่)|อย่างไร|ยังไง|ทำไม(?!้)|ใคร(?!่)|(?:ที่)?ไหน|(?:สิ่ง)?ใด|(?<!เ)กี่(?!เพ้า|\\s*$)|หรือไม่';

const ASKING = new RegExp(`(${CHINESE})|(${THAI})|${KOREAN}`, 'gu');
/** What none of these scripts is in is not looked through. */
const SCRIPTS = /[\u0e00-\u0e7f\u4e00-\u9fff\uac00-\ud7a3]/;
const KANA = /[\u3040-\u30ff]/;
/** A query that has fewer letters besides asks for the words themselves. */
const LETTERS_MIN = 2;

/** The query without what only asks; as it is when hardly anything would remain. */
export function withoutAsking(query: string): string {
  if (!SCRIPTS.test(query) || KANA.test(query)) return query;
  const chinese = once(() => wordBoundaries(query, 'cjk'));
  const thai = once(() => wordBoundaries(query, 'thai'));
  const rest = query.replace(
    ASKING,
    (word: string, han: string | undefined, siamese: string | undefined, at: number) => {
      const end = at + word.length;
      // 何 asks in 何时, a word of the dictionary; alone it is a name.
      if (han) return chinese().has(at) && (han !== '何' || !chinese().has(end)) ? ' ' : word;
      return siamese && !thai().has(end) ? word : ' ';
    },
  );
  return (rest.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < LETTERS_MIN ? query : rest;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
