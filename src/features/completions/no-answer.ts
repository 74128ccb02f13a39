/** What is said when the sources hold no answer: in the question's language, as far as it can be told. Pure. */

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

/** Scripts that tell the language, most telling first. */
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
  [
    /[這個嗎麼樣裡裏誰為時間國學們會對說還沒請問於發點從與關開後來過長無經應該種將兩進實體數據條當讓給現幾買賣歲]/u,
    'zh-Hant',
  ],
  [/\p{sc=Han}/u, 'zh'],
];

/** Words by which questions in Latin script are told apart. */
const WORDS: Readonly<Record<string, string>> = {
  en: 'the what how who when where which why is are do does did many much of in to and for can there',
  de: 'in der die das wie was wer wann wo warum welche welcher welches ist sind viele viel hat haben werden wird ein eine und für von mit zu gibt es den dem',
  fr: 'le la les quel quelle quels quelles combien comment qui quand où pourquoi est sont des du un une et pour dans avec y que ce',
  es: 'el la los las qué cuál cuáles cuánto cuántos cuántas cómo quién cuándo dónde es son de del un una y para por con hay que',
  it: 'in il lo la gli le che quale quali quanto quanti quante come chi quando dove perché è sono di del della un una e per con ci',
  pt: 'o a os as que qual quais quanto quantos quantas como quem quando onde é são do da dos das um uma e para por com há não',
  nl: 'in de het een wat hoe wie wanneer waar waarom welke is zijn hoeveel van voor met er en te heeft hebben',
  sv: 'vad hur vem när var varför vilken vilket är och för med det den ett en har många finns som',
  da: 'hvad hvordan hvem hvornår hvor hvorfor hvilken hvilket er og for med det den et en har mange der som',
  pl: 'co jak kto kiedy gdzie dlaczego jaki jaka jakie ile jest są w na i dla z do czy się',
  cs: 'co jak kdo kdy kde proč jaký jaká jaké kolik je jsou v na a pro s do se má',
  ro: 'ce cum cine când unde care cât câte câți este sunt de la și pentru cu în un o',
  hu: 'mi hogyan ki mikor hol miért melyik hány mennyi van a az és egy nem',
  fi: 'mitä miten kuka milloin missä miksi mikä kuinka monta paljon on ovat ja',
  tr: 'ne nasıl kim nerede neden hangi kaç mi mı mu mü ve bir için ile bu ne',
  vi: 'là gì như thế nào ai khi bao nhiêu ở đâu tại sao của có được và các những',
  id: 'apa bagaimana siapa kapan di mana mengapa berapa adalah yang dan untuk dengan dari',
};

/** Letters that few other languages have: as telling as two words. */
const LETTERS: readonly [RegExp, string][] = [
  [/[ğış]/iu, 'tr'],
  [/[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệịỉọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/iu, 'vi'],
  [/[ąęłśźż]/iu, 'pl'],
  [/[ěřů]/iu, 'cs'],
  [/[őű]/iu, 'hu'],
  [/[șță]/iu, 'ro'],
  [/ß/u, 'de'],
  [/[¿¡ñ]/iu, 'es'],
  [/[ãõ]/iu, 'pt'],
  [/[æø]/iu, 'da'],
];

const WORD_LISTS = Object.entries(WORDS).map(([language, words]) => [language, new Set(words.split(' '))] as const);

/** The sentence that says so. English when the language cannot be told. */
export function noAnswerText(question: string): string {
  return SENTENCES[languageOf(question)] ?? SENTENCES['en']!;
}

function languageOf(question: string): string {
  const script = SCRIPTS.find(([pattern]) => pattern.test(question));
  // A Latin question may quote a word of another script.
  const latin = question.match(/\p{sc=Latn}/gu)?.length ?? 0;
  if (script !== undefined && latin < [...question].length / 2) return script[1];
  const words =
    question
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{M}]+/gu) ?? [];
  let best = { language: 'en', hits: 0 };
  for (const [language, list] of WORD_LISTS) {
    const letters = LETTERS.some(([pattern, of]) => of === language && pattern.test(question)) ? 2 : 0;
    const hits = letters + words.filter((word) => list.has(word)).length;
    if (hits > best.hits) best = { language, hits };
  }
  return best.language;
}
