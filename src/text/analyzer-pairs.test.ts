/** Pairs of texts and queries that must match, and pairs that must not match, by language and spelling. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compoundParts } from './analysis/compounds.ts';
import { encodeStem } from './analysis/encode.ts';
import { TERM_WEIGHT } from './analysis/looser-forms.ts';
import { analyzeForIndex, analyzeQuery, searchTerms, weighTerms } from './analyzer.ts';

/** Returns the share of the weight of a query whose terms are in the text, from 0 to 1. */
function share(text: string, query: string, language: string): number {
  const terms = new Set(analyzeForIndex(text, language).split(' '));
  const wanted = [...weighTerms(query, [language])];
  const sum = (list: typeof wanted): number => list.reduce((total, [, weight]) => total + weight, 0);
  return sum(wanted.filter(([term]) => terms.has(term))) / sum(wanted);
}

/** Language, text, query, and the minimum share of the query that the text must hold. */
const FOUND: readonly (readonly [string, string, string, number])[] = [
  // English: identifiers, code, numbers with units, hyphens, apostrophes
  ['en', 'The panthers’ defence gave up 308 points', 'panther defence', 0.9],
  ['en', "The author's notes don't say", 'authors note', 0.6],
  ['en', 'a state-of-the-art method', 'state of the art', 0.9],
  ['en', 'an e-mail to the co-ordinator', 'email coordinator', 0.5],
  ['en', 'call getUserName() or fetch_user_name', 'get user name', 1],
  ['en', 'raises ERR_4012 in pkg/http2.ts', 'ERR_4012', 1],
  ['en', 'doses of 5mg and 10 ml', '5 mg', 0.9],
  ['en', 'doses of 5 mg and 10 ml', '5mg', 0.4],
  ['en', 'it has 1,234,567 inhabitants', '1234567', 1],
  ['en', 'growth of 3.5% in v2.10.1', '3.5', 0.9],
  ['en', 'café society in Zürich', 'cafe zurich', 1],
  ['en', 'cafe society in Zurich', 'Café Zürich', 1],
  ['en', 'Ｆｕｌｌ ｗｉｄｔｈ １２３', 'full width 123', 1],
  ['en', 'the IL-6 receptor', 'IL6', 0.3],
  ['en', 'mixed 東京 text with ภาษาไทย and Москва', '東京 Москва', 0.6],
  ['en', 'written in C++ and C#', 'C++', 0.5],
  // Numbers: grouped by points, commas, thin blanks or apostrophes, with decimal points or commas, in other digits
  ['de', 'eine Stadt mit 1.234.567 Einwohnern', '1234567', 1],
  ['de', 'um 3,5 Prozent', '3.5', 1],
  ['en', 'by 3.5 %', '3,5', 1],
  ['en', 'for 1,234.50 dollars', '1.234,50', 1],
  ['fr', 'il y a 12\u202f345 habitants', '12345', 1],
  ['uk', '2 952 301 особа', '2952301', 1],
  ['en', 'columns 120 340 560', '340', 1],
  ['en', 'needs TLS 1.3', 'TLS1.3', 0.5],
  ['en', 'since version 2.10.1', 'v2.10.1', 0.55],
  ['de', 'es kostet 1’234’567 Franken', '1234567', 1],
  ['ar', 'سنة ١٩٤٧ و ٣٫٥', '1947 3.5', 1],
  ['hi', '१५ अगस्त १९४७', '1947', 1],
  ['th', 'พ.ศ. ๒๔๗๕', '2475', 1],
  ['en', 'in 1947', '१९४७', 1],
  // German: compounds, umlauts, eszett
  ['de', 'Das Gerichtsverfahren endete', 'Verfahren', 0.4],
  ['de', 'Das Verfahren endete', 'Gerichtsverfahren', 0.2],
  ['de', 'Die Bevölkerungsdichte der Städte', 'dichte Bevölkerung', 0.4],
  ['de', 'in den Krankenhäusern', 'Krankenhaus', 1],
  ['de', 'Die Straße ist groß', 'strasse gross', 1],
  ['de', 'Die Häuser sind schön', 'haus', 0.5],
  // Spanish
  ['es', 'La población de las ciudades', 'poblaciones ciudad', 0.7],
  ['es', 'Los niños jugaban en la calle', 'nino', 0.5],
  ['es', 'el año dos mil', 'año', 0.9],
  // Romanian: comma, cedilla, neither
  ['ro', 'populației orașelor', 'populaţiei oraşelor', 1],
  ['ro', 'naţiunile unite', 'națiune', 0.7],
  ['ro', 'țările și orașele', 'tari orase', 0.5],
  ['ro', 'neînțeles', 'neinteles', 1],
  ['ro', 'soldații primește românești', 'soldat primit român', 0.4],
  // Russian: ё, cases
  ['ru', 'Самолёты летали над городами', 'самолет город', 0.7],
  ['uk', 'обʼєкт і п’ять', "об'єкт п'ять", 1],
  ['ru', 'зеленая ёлка', 'зелёная елка', 1],
  // Greek: accents, final sigma, capitals
  ['el', 'Η κυβέρνηση της χώρας', 'ΚΥΒΕΡΝΗΣΗΣ', 0.7],
  ['el', 'στα τέλη του 19ου αιώνα', '19ος αιώνας', 0.5],
  ['el', 'την 1η Ιουλίου', '1 Ιουλίου', 1],
  ['el', 'ο άνθρωπος και η πόλη', 'ανθρωπος πολεις', 0.7],
  // Turkish: dotted and dotless i, suffixes, apostrophe
  ['tr', 'IŞIK hızı', 'ışık', 1],
  ['tr', 'İstanbul’un tarihi', 'istanbul', 1],
  ['tr', 'Istanbul tarihi', 'İstanbul', 1],
  ['tr', 'Kitaplarından okudu', 'kitap', 0.7],
  ['tr', "Türkiye'nin başkenti", 'Turkiye baskent', 0.6],
  // Vietnamese: with marks, without, decomposed
  ['vi', 'Việt Nam là một quốc gia', 'Việt Nam', 1],
  ['vi', 'Việt Nam là một quốc gia', 'viet nam', 0.3],
  ['vi', 'đường phố Hà Nội', 'duong pho ha noi', 0.3],
  ['vi', 'tiếng Việt'.normalize('NFD'), 'tiếng Việt', 1],
  ['vi', 'hoà bình và thuý', 'hòa bình thúy', 1],
  ['vi', 'tỷ lệ ở Mỹ', 'tỉ lệ Mĩ', 1],
  ['vi', 'quý và kỹ sư', 'quí kĩ sư', 1],
  ['vi', 'thế kỷ', 'the ky', 0.3],
  // Hebrew: prefixes, endings
  ['he', 'הוא נולד בירושלים', 'ירושלים', 0.4],
  ['he', 'ושבמדינה', 'המדינות', 0.4],
  // Arabic: vowels, tatweel, alef forms, clitics, broken plurals
  ['ar', 'الكِتَابُ عَلَى الطَّاوِلَة', 'كتاب الطاولة', 0.9],
  ['ar', 'المـــديـنة القديمة', 'مدينة', 0.9],
  ['ar', 'إلى أين ذهب أحمد', 'احمد', 0.9],
  ['ar', 'وبالمدينة والكتاب', 'الكتاب', 0.5],
  ['ar', 'بمدينة كبيرة', 'المدينة', 0.3],
  ['ar', 'لمدينتهم', 'مدينتهم', 0.3],
  ['ar', 'وبالمدينة', 'مدينة', 0.3],
  ['ar', 'المدن الكبيرة', 'مدينة', 0.15],
  ['ar', 'الحكومة الإسلامية', 'إسلامي', 0.9],
  ['ar', 'مكتبتها ومكتبتهم', 'مكتبة', 1],
  ['ar', 'مكتبتان', 'مكتبة', 1],
  ['ar', 'كتابا جديدا', 'كتاب', 0.3],
  ['ar', 'خلاياهم', 'خلايا', 1],
  ['ar', 'دورة الألعاب', 'ألعاب', 1],
  ['ar', 'تاريخ إيران', 'الإيرانية', 1],
  ['ar', 'زار ألمانيا', 'ألماني', 1],
  ['ar', 'اللوحات المسروقة', 'سرق', 0.3],
  ['ar', 'يستخدم العمال', 'الاستخدام', 0.3],
  ['ar', 'اقترح المجلس', 'مقترحه', 0.3],
  // Hindi: nukta, candrabindu, inflection
  ['hi', 'बड़े शहरों की किताबें', 'बडे शहर किताब', 0.7],
  ['hi', 'हिन्दी का सम्बन्ध', 'हिंदी संबंध', 1],
  ['hi', 'लड़कियाँ पढ़ रही हैं', 'लडकियां', 0.7],
  ['hi', 'विश्वविद्यालयों में', 'विश्वविद्यालय', 1],
  ['hi', 'पहला दिन', 'दिनों', 1],
  ['hi', 'कई भाषाएँ', 'भाषा', 1],
  ['hi', 'भारतीय सेना', 'भारत', 0.2],
  ['hi', 'ऐतिहासिक घटना', 'इतिहास', 0.2],
  ['hi', 'सामाजिक विज्ञान', 'समाज', 0.2],
  ['hi', 'स्टॉकहोम की यात्रा', 'स्टाकहोम', 0.2],
  ['hi', 'पाँच सौ रुपए', 'रुपये', 0.2],
  ['hi', 'महेश भट्ट की फ़िल्म', 'भट', 0.2],
  // Chinese, Japanese, Korean, Thai
  ['zh', '機器學習與統計', '機器學習', 1],
  ['zh', '数据库和磁盘配额', '數據庫', 1],
  ['zh', '資料庫與檔案', '资料库', 1],
  ['ja', '広島の国立図書館', '廣島 國立圖書館', 1],
  ['ja', 'ﾃﾞｰﾀﾍﾞｰｽの設計', 'データベース', 1],
  ['ko', '대한민국의 수도는 서울이다', '대한민국 수도', 1],
  ['th', 'ฉันชอบอ่านหนังสือ', 'หนังสือ', 0.6],
  // Medicine and snake: words of two letters, which have no triple of characters.
  ['th', 'กินยาหลังอาหาร', 'ยา', 1],
  ['th', 'ฉันกลัวงูมาก', 'งู', 1],
];

/** Language, text, query, and the maximum share of the query that the text may hold. */
const NOT_FOUND: readonly (readonly [string, string, string, number])[] = [
  ['en', 'the universe expands', 'uniform', 0],
  ['en', 'written in C and C#', 'C++', 0.6],
  ['en', 'ERR_4013', 'ERR_4012', 0.6],
  ['en', 'version 2.10', 'version 2.1', 0.9],
  ['en', 'the cat sat', 'dog', 0],
  ['en', 'columns 120 340 560 780 900', '120340560', 0],
  ['en', 'the rows 1,2,3', '2.3', 0.7],
  ['he', 'ספר', 'שלום', 0],
  ['vi', 'hóa', 'hòa', 0.5],
  ['de', 'Die Verfassung', 'Verfahren', 0.5],
  ['de', 'Minuten', 'Uten', 0],
  ['es', 'el perro', 'la pera', 0],
  ['vi', 'con ma', 'con má', 0.8],
  ['ar', 'كلب', 'قلب', 0],
  ['ru', 'кот', 'код', 0],
  ['tr', 'sınır', 'sonra', 0],
  ['zh', '我们喝水', '图书馆', 0],
  ['hi', 'पानी', 'पत्नी', 0],
  ['ar', 'مدينة', 'دين', 0],
  ['ar', 'فيينا', 'فيها', 0],
];

describe('a query finds a text', () => {
  for (const [language, text, query, least] of FOUND) {
    test(`${language}: “${query}” in “${text}”`, () => {
      assert.ok(share(text, query, language) >= least, `${share(text, query, language)}`);
    });
  }
});

describe('a query does not find a text, or finds only a part of the query', () => {
  for (const [language, text, query, most] of NOT_FOUND) {
    test(`${language}: “${query}” in “${text}”`, () => {
      assert.ok(share(text, query, language) <= most, `${share(text, query, language)}`);
    });
  }
});

describe('German compounds', () => {
  test('are split where listed nouns meet', () => {
    for (const [word, parts] of [
      ['gerichtsverfahren', 'gericht verfahr'],
      ['bundesregierung', 'bund regier'],
      ['universitätsstadt', 'universitat stadt'],
      ['krankenhäuser', 'krank haus'],
      ['hauptbahnhofsvorplatz', 'haupt bahnhof vorplatz'],
    ] as const) {
      assert.equal(compoundParts(word).join(' '), parts);
    }
  });
  test('are not split if their parts are no listed nouns, and long nonsense takes no time', () => {
    for (const word of ['minuten', 'informationen', 'kurz', 'a'.repeat(5000), 'bahn'.repeat(12)]) compoundParts(word);
    assert.deepEqual(compoundParts('informationen'), []);
    assert.deepEqual(compoundParts('minuten'), []);
  });
});

describe('function words and question words do not count in a query', () => {
  for (const [language, query, rest] of [
    ['en', 'How many moons were known to any?', 'moons known'],
    ['es', '¿Cuánta agua tienen estos lagos?', 'agua lagos'],
    ['es', '¿Qué otros pueblos tuvo cada una de aquellas islas, si les pertenecían?', 'pueblos islas pertenecían'],
    ['es', 'cuando nacio Cervantes', 'nacio Cervantes'],
    ['ro', 'Cărui oraș îi aparține acest muzeu?', 'oraș aparține muzeu'],
    ['ro', 'Cine învins şi când întâmplat, ţară', 'învins întâmplat țară'],
    ['ro', 'care an a inceput razboiul, cand', 'an inceput razboiul'],
    ['ru', 'Какую площадь имеет эта страна?', 'площадь страна'],
    ['ru', 'Чьим именем им назван город', 'именем назван город'],
    ['el', 'Πόσους κατοίκους έχει η πόλη;', 'κατοίκους πόλη'],
    ['el', 'ΠΟΙΟΣ ΕΙΝΑΙ Ο ΠΛΗΘΥΣΜΟΣ', 'πληθυσμός'],
    ['el', 'Ποιανού έργο υπάρχει σε κάποιο μουσείο;', 'έργο μουσείο'],
    ['tr', 'Türkiye başkenti neresidir, HANGİ ilde?', 'Türkiye başkenti ilde'],
    ['tr', 'Osman kiminle evli olmuştur, durumu nasıldı?', 'Osman evli durumu'],
    ['it', 'Dove nacque nell’Ottocento questo uomo', 'nacque Ottocento uomo'],
    ['vi', 'Dân số của Hà Nội là mấy', 'Dân số Hà Nội'],
    ['ar', 'في أي عام وُلد الملك', 'عام ولد الملك'],
    ['ar', 'الى اين سافر', 'سافر'],
    ['hi', 'भारत की राजधानी कहाँ होती है?', 'भारत राजधानी'],
    ['fa', 'پایتخت ایران کدام است؟', 'پایتخت ایران'],
  ] as const) {
    test(`${language}: “${query}” searches for “${rest}”`, () =>
      assert.deepEqual(weighTerms(query, [language]), weighTerms(rest, [language])));
  }
  test('a letter or a word of a name counts although it looks like a function word', () => {
    assert.ok(weighTerms('علي بن ابي طالب', ['ar']).size > weighTerms('بن ابي طالب', ['ar']).size);
    for (const [language, name] of [
      ['tr', 'A vitamini'],
      ['ro', 'Carol I'],
      ['it', 'vitamina C'],
    ] as const) {
      const letter = name.replace(/.*\b([A-Z])\b.*/, '$1').toLowerCase();
      assert.ok(weighTerms(name, [language]).has(encodeStem(letter, language)), name);
    }
    assert.ok(weighTerms('år 1900', ['sv']).size > weighTerms('1900', ['sv']).size);
  });
  test('the terms of a claim lack stop words', () => {
    assert.deepEqual(analyzeQuery('the moons before Galileo', ['en']), ['moon', 'befor', 'galileo']);
  });
});

describe('the weight', () => {
  test('of the parts of a word in a script without blanks is less than that of a number beside it', () => {
    const weights = weighTerms('ラオス 2003 한국 ไทย', ['ja']);
    assert.equal(weights.get('2003'), TERM_WEIGHT);
    const others = [...weights].filter(([term]) => term !== '2003').map(([, weight]) => weight);
    assert.deepEqual([...new Set(others)], [1]);
    assert.equal(analyzeQuery('ラオス', ['ja']).length, 5, 'all of them are terms of the query');
  });
  test('of a word is higher than that of a word with the same first letters', () => {
    const weights = weighTerms('population', ['en']);
    assert.equal(weights.get('popul'), TERM_WEIGHT);
    assert.equal(weights.get('zppopul'), 1);
    assert.equal(weighTerms('populația', ['ro']).get('zppopul'), 2);
    assert.equal(weighTerms('población', ['es']).get('zppobla'), 2);
    assert.deepEqual(searchTerms('population', ['en']).slice(0, 4), ['popul', 'popul', 'popul', 'zppopul']);
  });
  test('of stems is zero in a language that the query is not in', () => {
    const weights = weighTerms('wo ist die Rolle der Bevölkerung', ['de', 'es']);
    const likely = analyzeQuery('Bevölkerung', ['de']);
    for (const term of likely) assert.equal(weights.get(term), TERM_WEIGHT);
    const spanish = analyzeQuery('Bevölkerung', ['es']).filter((term) => !likely.includes(term));
    assert.ok(spanish.length > 0);
    for (const term of spanish) assert.ok(!weights.has(term));
  });
  test('of looser forms is not part of the terms of a claim', () => {
    assert.deepEqual(analyzeQuery('the population of Gerichtsverfahren', ['en']).length, 2);
  });
});
