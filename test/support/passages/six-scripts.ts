/** The same kind of report in eight languages of seven scripts, as files of six formats: what citations are checked with. */
import { makeDocx, makeXlsx } from '../files/make-files.ts';
import { makeScriptPdf } from '../files/make-script-pdf.ts';

interface Language {
  things: readonly string[];
  places: readonly string[];
  /** $T is the thing, $P the place, $Y a year and $N a number. */
  fact: string;
  /** Stands behind each fact, so that it is in the file many times. */
  repeated: string;
  question: string;
  rightToLeft?: true;
  /** Lines may break between any two characters. */
  withoutBlanks?: true;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  de: {
    things: ['Die Schiffsglocke', 'Der Fliesenofen', 'Das Öllämpchen', 'Die Sanduhr', 'Der Sextant', 'Die Truhe'],
    places: ['im Südflügel', 'im Kaffeezimmer', 'auf dem Dachboden', 'im Kühlraum'],
    fact: '$T $P wurde im Jahr $Y für $N Euro instand gesetzt und gehört seither zur „festen“ Ausstellung.',
    repeated: 'Montags ist geschlossen.',
    question: 'Wann wurde $T $P instand gesetzt?',
  },
  ru: {
    things: ['Колокол', 'Печь', 'Лампа', 'Карта', 'Якорь', 'Сундук'],
    places: ['в южном крыле', 'в малом зале', 'на чердаке', 'в холодной комнате'],
    fact: '$T $P: ремонт закончен в $Y году, он стоил $N рублей и занял всю зиму.',
    repeated: 'По понедельникам закрыто.',
    question: 'Когда закончен ремонт: $T $P?',
  },
  el: {
    things: ['Η καμπάνα', 'Η λάμπα', 'Ο χάρτης', 'Η άγκυρα', 'Το ρολόι', 'Το σεντούκι'],
    places: ['στη νότια πτέρυγα', 'στη μικρή αίθουσα', 'στη σοφίτα', 'στο υπόγειο'],
    fact: '$T $P επισκευάστηκε το $Y και η εργασία κόστισε $N ευρώ στο μουσείο.',
    repeated: 'Τη Δευτέρα είναι κλειστά.',
    question: 'Πότε επισκευάστηκε $T $P;',
  },
  ar: {
    things: ['الجرس', 'المصباح', 'الخريطة', 'المرساة', 'الساعة', 'الصندوق'],
    places: ['في الجناح الجنوبي', 'في القاعة الصغيرة', 'في العلية', 'في القبو'],
    fact: 'تم إصلاح $T $P سنة $Y وبلغت تكلفة العمل $N دينار من ميزانية المتحف.',
    repeated: 'المتحف مغلق يوم الاثنين.',
    question: 'متى تم إصلاح $T $P؟',
    rightToLeft: true,
  },
  he: {
    things: ['הפעמון', 'המנורה', 'המפה', 'העוגן', 'השעון', 'התיבה'],
    places: ['באגף הדרומי', 'באולם הקטן', 'בעליית הגג', 'במרתף'],
    fact: '$T $P תוקן בשנת $Y והעבודה עלתה $N שקלים למוזיאון.',
    repeated: 'ביום שני המוזיאון סגור.',
    question: 'מתי תוקן $T $P?',
    rightToLeft: true,
  },
  hi: {
    things: ['घंटी', 'दीपक', 'नक्शा', 'लंगर', 'घड़ी', 'संदूक'],
    places: ['दक्षिणी भवन में', 'छोटे कक्ष में', 'अटारी में', 'तहखाने में'],
    fact: '$T $P है और उसकी मरम्मत वर्ष $Y में $N रुपये के खर्च से पूरी हुई।',
    repeated: 'सोमवार को संग्रहालय बंद रहता है।',
    question: '$T $P: मरम्मत किस वर्ष में पूरी हुई?',
  },
  th: {
    things: ['ระฆัง', 'ตะเกียง', 'แผนที่', 'สมอเรือ', 'นาฬิกา', 'หีบไม้'],
    places: ['ในปีกทิศใต้', 'ในห้องเล็ก', 'ในห้องใต้หลังคา', 'ในห้องใต้ดิน'],
    fact: '$T$Pได้รับการซ่อมแซมเมื่อปี $Y ด้วยค่าใช้จ่าย $N บาทของพิพิธภัณฑ์',
    repeated: 'ปิดทุกวันจันทร์',
    question: '$T$Pได้รับการซ่อมแซมเมื่อปีใด',
    withoutBlanks: true,
  },
  ja: {
    things: ['船の鐘', '石油ランプ', '古い海図', '大きな錨', '砂時計', '木の箱'],
    places: ['南館にある', '小展示室にある', '屋根裏にある', '冷蔵室にある'],
    fact: '$P$Tは$Y年に$N万円をかけて修理され、その後は常設展示に加えられた。',
    repeated: '月曜日は休館です。',
    question: '$P$Tはいつ修理されましたか。',
    withoutBlanks: true,
  },
};

export const LANGUAGE_NAMES = Object.keys(LANGUAGES);
export const FORMATS = ['pdf', 'docx', 'html', 'md', 'xlsx', 'txt'] as const;
export type Format = (typeof FORMATS)[number];

export interface Report {
  name: string;
  content: Uint8Array | string;
  questions: string[];
}

const LINE_UNITS = 64;
const PAGE_LINES = 22;

/** Returns the report of a language as a file of a format, with questions whose answers are in it. */
export function reportOf(language: string, format: Format): Report {
  const words = LANGUAGES[language]!;
  const items = words.places.flatMap((place, p) =>
    words.things.map((thing, t) => {
      const number = p * words.things.length + t;
      const fill = (text: string): string =>
        text
          .replace('$T', thing)
          .replace('$P', place)
          .replace('$Y', String(1900 + number * 3))
          .replace('$N', String(110 + number * 17));
      return { thing, place, fact: fill(words.fact), question: fill(words.question), number };
    }),
  );
  const paragraphs = items.map(({ fact }) => `${fact} ${words.repeated}`);
  const title = `${words.places[0]} · ${words.places[1]}`;
  const contents: Record<Format, () => Uint8Array | string> = {
    txt: () => `${title}\n\n${paragraphs.join('\n\n')}\n`,
    md: () => `# ${title}\n\n${paragraphs.map((one) => `- ${one}\n`).join('')}`,
    html: () =>
      `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${paragraphs.map((one) => `<p>${one}</p>`).join('\n')}`,
    docx: () => makeDocx({ blocks: [{ heading: title }, ...paragraphs.map((paragraph) => ({ paragraph }))] }),
    xlsx: () => {
      const rows = items.map(({ thing, place, fact, number }) => [
        number + 1,
        `${thing} ${place}`,
        fact,
        words.repeated,
      ]);
      return makeXlsx({ sheets: [{ name: 'Report', rows: [['No', 'Item', 'Text', 'Note'], ...rows] }] });
    },
    pdf: () => makeScriptPdf({ pages: pagesOf(title, paragraphs, words), rightToLeft: words.rightToLeft ?? false }),
  };
  return {
    name: `report-${language}.${format}`,
    content: contents[format](),
    questions: items.map(({ question }) => question),
  };
}

/** Returns the lines of pages: a sentence may go on behind the end of a line and of a page, under a header and over a number. */
function pagesOf(title: string, paragraphs: readonly string[], words: Language): string[][] {
  const lines = paragraphs.flatMap((paragraph) => [...wrap(paragraph, words), '']);
  const pages: string[][] = [];
  for (let at = 0; at < lines.length; at += PAGE_LINES)
    pages.push([title, '', ...lines.slice(at, at + PAGE_LINES), '', String(pages.length + 1)]);
  return pages;
}

function wrap(text: string, words: Language): string[] {
  const lines: string[] = [''];
  for (const part of words.withoutBlanks ? text.match(/[\p{N}]+|.\p{M}*/gu)! : text.match(/\S+\s*/g)!) {
    if ([...lines.at(-1)!, ...part].length > LINE_UNITS) lines.push('');
    lines[lines.length - 1] += part;
  }
  return lines.map((line) => line.trim());
}
