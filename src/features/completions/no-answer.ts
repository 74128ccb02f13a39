/** The text of a completion without an answer, in the language of the question. */
import { isTraditional } from '../../text/analysis/han-variants.ts';
import { stopWordsOf } from '../../text/analysis/stop-words.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  en: 'The available sources do not contain an answer to this question.',
  de: 'Die vorhandenen Quellen enthalten keine Antwort auf diese Frage.',
  fr: 'Les sources disponibles ne contiennent pas de réponse à cette question.',
  es: 'Las fuentes disponibles no contienen una respuesta a esta pregunta.',
  it: 'Le fonti disponibili non contengono una risposta a questa domanda.',
  pt: 'As fontes disponíveis não contêm uma resposta a esta pergunta.',
  nl: 'De beschikbare bronnen bevatten geen antwoord op deze vraag.',
  sv: 'De tillgängliga källorna innehåller inget svar på den här frågan.',
  da: 'De tilgængelige kilder indeholder ikke et svar på dette spørgsmål.',
  pl: 'Dostępne źródła nie zawierają odpowiedzi na to pytanie.',
  cs: 'Dostupné zdroje neobsahují odpověď na tuto otázku.',
  ro: 'Sursele disponibile nu conțin un răspuns la această întrebare.',
  hu: 'A rendelkezésre álló források nem tartalmaznak választ erre a kérdésre.',
  fi: 'Käytettävissä olevat lähteet eivät sisällä vastausta tähän kysymykseen.',
  tr: 'Mevcut kaynaklar bu sorunun yanıtını içermiyor.',
  vi: 'Các nguồn hiện có không chứa câu trả lời cho câu hỏi này.',
  id: 'Sumber yang tersedia tidak memuat jawaban atas pertanyaan ini.',
  ru: 'Доступные источники не содержат ответа на этот вопрос.',
  uk: 'Доступні джерела не містять відповіді на це запитання.',
  el: 'Οι διαθέσιμες πηγές δεν περιέχουν απάντηση σε αυτή την ερώτηση.',
  ar: 'لا تحتوي المصادر المتاحة على إجابة عن هذا السؤال.',
  fa: 'منابع موجود پاسخی برای این پرسش ندارند.',
  he: 'המקורות הזמינים אינם מכילים תשובה לשאלה זו.',
  hi: 'उपलब्ध स्रोतों में इस प्रश्न का उत्तर नहीं है।',
  th: 'แหล่งข้อมูลที่มีอยู่ไม่มีคำตอบสำหรับคำถามนี้',
  ja: '利用できる資料には、この質問への答えが見つかりませんでした。',
  ko: '사용할 수 있는 자료에 이 질문에 대한 답이 없습니다.',
  zh: '现有资料中没有这个问题的答案。',
  'zh-Hant': '現有資料中沒有這個問題的答案。',
};

/** Characters that show the language. The first pattern that matches decides. */
const SCRIPTS: readonly [RegExp, string][] = [
  [/[\p{sc=Hira}\p{sc=Kana}]/u, 'ja'],
  [/\p{sc=Hang}/u, 'ko'],
  [/\p{sc=Thai}/u, 'th'],
  [/\p{sc=Deva}/u, 'hi'],
  [/\p{sc=Hebr}/u, 'he'],
  [/\p{sc=Grek}{2}/u, 'el'],
  [/[پچژگک]/u, 'fa'],
  [/\p{sc=Arab}/u, 'ar'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{sc=Cyrl}/u, 'ru'],
  [/\p{sc=Han}/u, 'zh'],
];

/** Letters and words that few other languages have. They count as much as two stop words. */
const LETTERS: readonly [RegExp, string][] = [
  [/[ğış]/iu, 'tr'],
  [/[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệịỉọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/iu, 'vi'],
  [/[ąćęłńśźż]/iu, 'pl'],
  [/[ěřů]|(?<!\p{L})(?:kdo|kde|kolik|proč)(?!\p{L})/iu, 'cs'],
  [/(?<!\p{L})(?:apa|berapa|siapa|bagaimana|di mana)(?!\p{L})/iu, 'id'],
  [/[őű]/iu, 'hu'],
  [/[șță]/iu, 'ro'],
  [/ß/u, 'de'],
  [/[¿¡ñ]/iu, 'es'],
  [/[ãõ]/iu, 'pt'],
  [/[æø]/iu, 'da'],
];

/** More letters of another script for each stop word are no quotation within a question in Latin script. */
const LETTERS_OF_A_WORD_MAX = 3;

/**
 * Returns the sentence that says that there is no answer, in the language of the question. If its words may be of several languages,
 * the language of most passages decides, else it is English.
 *
 * @param found the languages of the passages that were found, the best first.
 */
export function noAnswerText(question: string, found: readonly (string | null)[]): string {
  return SENTENCES[languageOf(question, found)]!;
}

function languageOf(question: string, found: readonly (string | null)[]): string {
  const words = question.toLowerCase().normalize('NFC').match(WORDS) ?? [];
  let likely: string[] = [];
  let most = 0;
  for (const language of Object.keys(SENTENCES).filter((one) => !OTHER_SCRIPTS.has(one))) {
    const letters = LETTERS.some(([pattern, of]) => of === language && pattern.test(question)) ? 2 : 0;
    const hits = letters + words.filter((word) => stopWordsOf(language).has(word)).length;
    if (hits > most) likely = [];
    most = Math.max(most, hits);
    if (hits === most) likely.push(language);
  }
  const script = SCRIPTS.find(([pattern]) => pattern.test(question))?.[1];
  const latin = question.match(/\p{sc=Latn}/gu)?.length ?? 0;
  const others = (question.match(/\p{L}/gu)?.length ?? 0) - latin;
  // A question in Latin script may quote a word of another script, and a question in another script may have commands in Latin script.
  if (script !== undefined && (latin < [...question].length / 2 || others > most * LETTERS_OF_A_WORD_MAX))
    return script === 'zh' && isTraditional(question) ? 'zh-Hant' : script;
  const passages = (language: string): number => found.filter((one) => one === language).length;
  const [best] = found
    .filter((language) => language !== null && likely.includes(language))
    .sort((a, b) => passages(b!) - passages(a!));
  return best ?? (most === 0 ? 'en' : likely[0]!);
}

/** Words. Letters of a code are none: the DE of DE75 is no Dutch article. */
const WORDS = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}]+(?![\p{L}\p{M}\p{N}])/gu;
const OTHER_SCRIPTS: ReadonlySet<string> = new Set([...SCRIPTS.map(([, language]) => language), 'zh-Hant']);
