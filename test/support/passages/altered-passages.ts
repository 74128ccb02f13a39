/** Passages in many languages, written by hand, with changes of one fact each. A change is "old words → new words". */
import { splitUnits } from '../../../src/text/sentences.ts';
import type { Fact } from './alterations.ts';

export interface AlteredPassage {
  passage: string;
  changes: readonly (readonly [Fact, string])[];
  /** Sentences that state facts of the passage in slightly different words. */
  faithful: readonly string[];
}

export const ALTERED_PASSAGES: Readonly<Record<string, AlteredPassage>> = {
  en: {
    passage:
      'The bridge at Harlow was opened by Maria Keene on 14 June 1931 and is 412 metres long. It was not damaged in the flood, although two piers had moved by 3.5 centimetres. Lorries cannot cross it without a permit. The first repair took place in the third year. More than 30 million people crossed it before 1990. All buses pay 15% of the toll, but only some cars pay 20 dollars. Keene praised Alderton after the second inspection. The crew of 12 to 15 workers paints at least 40 arches every five years. Traffic increased in March 2001.',
    changes: [
      ['name', 'Harlow → Barton'],
      ['name', 'Maria Keene → Clara Keene'],
      ['date', '14 June 1931 → 14 March 1931'],
      ['date', '14 June 1931 → 31 June 1914'],
      ['unit', 'metres → miles'],
      ['unit', 'centimetres → millimetres'],
      ['unit', 'million → billion'],
      ['unit', '15% → 15'],
      ['unit', 'dollars → euros'],
      ['ordinal', 'first repair → second repair'],
      ['ordinal', 'first repair → last repair'],
      ['ordinal', 'third year → fourth year'],
      ['comparative', 'More than → Less than'],
      ['comparative', 'More than 30 → 30'],
      ['comparative', 'before → after'],
      ['comparative', 'at least → at most'],
      ['comparative', 'increased → decreased'],
      ['quantifier', 'All buses → Some buses'],
      ['quantifier', 'only some → all'],
      ['quantifier', 'only some → some'],
      ['swap', 'Keene praised Alderton → Alderton praised Keene'],
      ['range', '12 to 15 → 12 to 50'],
      ['range', '12 to 15 → 12'],
      ['range', '12 to 15 → 15'],
      ['places', '14 June 1931 and is 412 → 412 June 1931 and is 14'],
      ['number word', 'two piers → six piers'],
      ['number word', 'five years → fifty years'],
      ['digits', '412 → ४१३'],
      ['negation', 'was not damaged → was damaged'],
      ['negation', 'cannot cross → can cross'],
    ],
    faithful: [
      'On 14 June 1931 the bridge at Harlow was opened by Maria Keene.',
      'The bridge at Harlow is 412 metres long.',
      'It was not damaged in the flood.',
      'Before 1990, more than 30 million people crossed it.',
      'The crew of 12 to 15 workers paints at least 40 arches.',
      'Maria Keene opened the bridge at Harlow on 14 June 1931.',
      'Alderton was praised by Keene after the second inspection.',
      'In March 2001 traffic increased.',
    ],
  },
  de: {
    passage:
      'Die Brücke wurde am 14. Juni 1931 eröffnet und ist 412 Meter lang. Sie wurde im Hochwasser nicht beschädigt, obwohl zwei Pfeiler um 3,5 Zentimeter verschoben waren. Lastwagen haben keine Erlaubnis. Alle Busse zahlen mehr als fünfundzwanzig Euro vor dem 3. Mai. Nur Radfahrer fahren immer frei. Weber lobte Schuster nach der zweiten Prüfung.',
    changes: [
      ['date', 'Juni → Juli'],
      ['unit', 'Meter lang → Meilen lang'],
      ['unit', 'Euro → Dollar'],
      ['number word', 'fünfundzwanzig → sechsundzwanzig'],
      ['number word', 'zwei Pfeiler → drei Pfeiler'],
      ['comparative', 'mehr als → weniger als'],
      ['comparative', 'vor dem → nach dem'],
      ['quantifier', 'Alle Busse → Einige Busse'],
      ['quantifier', 'Nur Radfahrer → Radfahrer'],
      ['quantifier', 'immer → selten'],
      ['negation', 'keine Erlaubnis → eine Erlaubnis'],
      ['negation', 'nicht beschädigt → beschädigt'],
      ['swap', 'Weber lobte Schuster → Schuster lobte Weber'],
      ['name', 'Weber lobte → Müller lobte'],
      ['ordinal', 'zweiten Prüfung → dritten Prüfung'],
    ],
    faithful: [
      'Am 14. Juni 1931 wurde die Brücke eröffnet.',
      'Im Hochwasser wurde sie nicht beschädigt.',
      'Die Brücke ist 412 Meter lang.',
      'Alle Busse zahlen mehr als fünfundzwanzig Euro.',
    ],
  },
  fr: {
    passage:
      'Le pont a été ouvert par Marie Dupont le 14 juin 1931 et il est long de 412 mètres. Les camions ne paient pas de péage depuis trois mois. Tous les bus paient plus de 20 euros avant midi. Seulement les vélos passent toujours sans contrôle.',
    changes: [
      ['name', 'Marie Dupont → Claire Dupont'],
      ['date', '14 juin → 14 juillet'],
      ['unit', 'mètres → milles'],
      ['negation', 'ne paient pas → paient'],
      ['number word', 'trois mois → quatre mois'],
      ['unit', 'trois mois → trois ans'],
      ['quantifier', 'Tous les bus → Quelques bus'],
      ['comparative', 'plus de → moins de'],
      ['comparative', 'avant midi → après midi'],
      ['quantifier', 'Seulement les vélos → Les vélos'],
      ['negation', 'sans contrôle → avec contrôle'],
    ],
    faithful: ['Depuis trois mois, les camions ne paient pas de péage.', 'Le pont est long de 412 mètres.'],
  },
  es: {
    passage:
      'El puente fue abierto por Lucía Ferrer el 14 de junio de 1931 y mide 412 metros. Los camiones no pagan peaje desde hace tres meses. Todos los autobuses pagan más de 20 euros antes de mayo. Solo algunas motos pagan siempre.',
    changes: [
      ['name', 'Lucía Ferrer → Carmen Ferrer'],
      ['date', 'de junio → de julio'],
      ['unit', 'metros → millas'],
      ['negation', 'no pagan peaje → pagan peaje'],
      ['number word', 'tres meses → cuatro meses'],
      ['quantifier', 'Todos los autobuses → Algunos autobuses'],
      ['comparative', 'más de → menos de'],
      ['comparative', 'antes de → después de'],
      ['quantifier', 'Solo algunas motos → Algunas motos'],
    ],
    faithful: ['Desde hace tres meses los camiones no pagan peaje.', 'El puente mide 412 metros.'],
  },
  ru: {
    passage:
      'Мост был открыт Марией Орловой 14 июня 1931 года, его длина 412 метров. Водители не получают пропуск три месяца. Все автобусы платят более двадцати рублей до мая. Только велосипеды всегда едут без контроля.',
    changes: [
      ['name', 'Марией Орловой → Ольгой Орловой'],
      ['date', '14 июня → 14 июля'],
      ['unit', '412 метров → 412 миль'],
      ['negation', 'не получают → получают'],
      ['number word', 'три месяца → пять месяца'],
      ['number word', 'двадцати → тридцати'],
      ['quantifier', 'Все автобусы → Некоторые автобусы'],
      ['comparative', 'более → менее'],
      ['comparative', 'до мая → после мая'],
      ['quantifier', 'Только велосипеды → Велосипеды'],
      ['negation', 'без контроля → с контролем'],
    ],
    faithful: ['14 июня 1931 года мост был открыт Марией Орловой.', 'Водители не получают пропуск.'],
  },
  zh: {
    passage:
      '这座桥由王建国设计，于1931年6月14日在南京开放，全长412米。卡车没有许可证不能通过。第一次维修在三年后进行。所有公交车都要支付超过百分之十五的费用。只有部分自行车免费。1990年之前有三千万人经过这里。中国队击败了日本队。',
    changes: [
      ['name', '王建国 → 李建国'],
      ['name', '王建国 → 赵文远'],
      ['name', '南京 → 上海'],
      ['date', '6月14日 → 7月14日'],
      ['date', '6月14日 → 14月6日'],
      ['unit', '412米 → 412里'],
      ['ordinal', '第一次 → 第二次'],
      ['number word', '三年后 → 五年后'],
      ['number word', '三千万 → 三千亿'],
      ['number word', '百分之十五 → 百分之二十五'],
      ['comparative', '超过 → 不到'],
      ['comparative', '之前 → 之后'],
      ['quantifier', '所有公交车 → 部分公交车'],
      ['quantifier', '只有部分自行车 → 部分自行车'],
      ['negation', '不能通过 → 能通过'],
      ['negation', '没有许可证 → 有许可证'],
      ['swap', '中国队击败了日本队 → 日本队击败了中国队'],
    ],
    faithful: [
      '这座桥全长412米。',
      '这座桥由王建国设计。',
      '没有许可证，卡车不能通过。',
      '所有公交车都要支付超过百分之十五的费用。',
    ],
  },
  ja: {
    passage:
      'この橋は1931年6月14日に開通し、全長は412メートルである。橋は田中建設が大阪で設計した。トラックの通行は許可されていない。すべてのバスは三割以上の料金を払う。自転車だけが無料である。最初の修理は1990年以前に行われた。許可なく渡れません。彼らは橋を渡らぬ。',
    changes: [
      ['name', '田中建設 → 山本建設'],
      ['name', '大阪 → 福岡'],
      ['date', '6月14日 → 7月14日'],
      ['unit', 'メートル → マイル'],
      ['number word', '三割 → 五割'],
      ['comparative', '以上 → 以下'],
      ['comparative', '以前 → 以後'],
      ['quantifier', 'すべてのバス → 一部のバス'],
      ['quantifier', '自転車だけが → 自転車が'],
      ['ordinal', '最初の修理 → 最後の修理'],
      ['negation', '許可されていない → 許可されている'],
      ['negation', '渡れません → 渡れます'],
      ['negation', '渡らぬ → 渡る'],
    ],
    faithful: ['全長は412メートルである。', '橋は大阪で田中建設が設計した。', '1931年6月14日にこの橋は開通した。'],
  },
  ko: {
    passage:
      '이 다리는 김영호가 설계하여 1931년 6월 14일에 부산에서 개통되었고 길이는 412미터이다. 트럭은 허가 없이 지나갈 수 없다. 모든 버스는 15퍼센트 이상을 낸다. 일부 자전거만 무료이다. 첫 번째 수리는 1990년 이전에 했다. 운전자는 통행료를 안 낸다. 보행자는 밤에 못 건넌다.',
    changes: [
      ['name', '김영호가 → 박민수가'],
      ['name', '부산에서 → 광주에서'],
      ['date', '6월 14일 → 7월 14일'],
      ['unit', '412미터 → 412마일'],
      ['unit', '15퍼센트 → 15'],
      ['comparative', '이상 → 이하'],
      ['comparative', '이전에 → 이후에'],
      ['quantifier', '모든 버스 → 일부 버스'],
      ['ordinal', '첫 번째 → 두 번째'],
      ['negation', '없이 지나갈 수 없다 → 없이 지나갈 수 있다'],
      ['negation', '안 낸다 → 낸다'],
      ['negation', '못 건넌다 → 건넌다'],
    ],
    faithful: ['트럭은 허가 없이 지나갈 수 없다.', '이 다리의 길이는 412미터이다.'],
  },
  th: {
    passage:
      'สะพานนี้ออกแบบโดยนายสมชาย เปิดที่เมืองเชียงใหม่เมื่อวันที่ 14 มิถุนายน 1931 และยาว 412 เมตร รถบรรทุกไม่สามารถข้ามได้ รถโดยสารทุกคันจ่ายมากกว่า 15 บาท',
    changes: [
      ['name', 'สมชาย → ประวิทย์'],
      ['name', 'เชียงใหม่ → ขอนแก่น'],
      ['date', 'มิถุนายน → ธันวาคม'],
      ['unit', 'เมตร → ไมล์'],
      ['negation', 'ไม่สามารถ → สามารถ'],
      ['comparative', 'มากกว่า → น้อยกว่า'],
      ['quantifier', 'รถโดยสารทุกคัน → รถโดยสารบางคัน'],
      ['digits', '412 → ๔๑๓'],
    ],
    faithful: ['รถบรรทุกไม่สามารถข้ามได้'],
  },
  ar: {
    passage:
      'افتتح أحمد منصور الجسر في دمشق يوم 14 يونيو 1931 وطوله 412 مترا. لا تدفع الشاحنات الرسوم منذ ثلاثة أشهر. تدفع جميع الحافلات أكثر من 20 دينارا قبل الظهر. لم يتضرر الجسر في الفيضان. ليس العبور مسموحا ليلا.',
    changes: [
      ['name', 'أحمد منصور → خالد منصور'],
      ['name', 'دمشق → بغداد'],
      ['date', 'يونيو → يوليو'],
      ['unit', 'مترا → ميلا'],
      ['number word', 'ثلاثة أشهر → خمسة أشهر'],
      ['digits', '412 → ٤١٣'],
      ['comparative', 'أكثر من → أقل من'],
      ['comparative', 'قبل الظهر → بعد الظهر'],
      ['quantifier', 'جميع الحافلات → بعض الحافلات'],
      ['negation', 'لا تدفع → تدفع'],
      ['negation', 'لم يتضرر → يتضرر'],
      ['negation', 'ليس العبور → العبور'],
    ],
    faithful: ['لا تدفع الشاحنات الرسوم.', 'في الفيضان لم يتضرر الجسر.'],
  },
  hi: {
    passage:
      'पुल को राजेश वर्मा ने 14 जून 1931 को नागपुर में खोला और यह 412 मीटर लंबा है। ट्रक तीन महीने से शुल्क नहीं देते। सभी बसें 20 रुपये से अधिक देती हैं। केवल साइकिलें मुफ्त चलती हैं।',
    changes: [
      ['name', 'राजेश वर्मा → सुरेश वर्मा'],
      ['name', 'नागपुर → कानपुर'],
      ['date', 'जून → जुलाई'],
      ['unit', 'मीटर → मील'],
      ['number word', 'तीन महीने → पांच महीने'],
      ['digits', '412 → ४१३'],
      ['comparative', 'अधिक → कम'],
      ['quantifier', 'सभी बसें → कुछ बसें'],
      ['quantifier', 'केवल साइकिलें → साइकिलें'],
      ['negation', 'नहीं देते → देते'],
    ],
    faithful: ['ट्रक शुल्क नहीं देते।', 'सभी बसें 20 रुपये से अधिक देती हैं।'],
  },
  tr: {
    passage:
      'Köprü 14 haziran 1931 günü Ayşe Demir tarafından açıldı ve uzunluğu 412 metredir. Sel sırasında zarar görmedi. Kamyonlar üç aydır ücret ödemiyor. Bütün otobüsler öğleden önce 20 liradan fazla öder. Geçiş gece serbest değildir. Sadece bisikletler ücretsiz geçer.',
    changes: [
      ['name', 'Ayşe Demir → Fatma Demir'],
      ['date', 'haziran → temmuz'],
      ['unit', '412 metredir → 412 mildir'],
      ['number word', 'üç aydır → beş aydır'],
      ['comparative', 'fazla → az'],
      ['comparative', 'öğleden önce → öğleden sonra'],
      ['quantifier', 'Bütün otobüsler → Bazı otobüsler'],
      ['quantifier', 'Sadece bisikletler → Bisikletler'],
      ['negation', 'görmedi → gördü'],
      ['negation', 'ödemiyor → ödüyor'],
      ['negation', 'serbest değildir → serbesttir'],
    ],
    faithful: ['Köprünün uzunluğu 412 metredir.', 'Üç aydır kamyonlar ücret ödemiyor.'],
  },
  vi: {
    passage:
      'Cây cầu do Nguyễn Văn Hùng mở vào ngày 14 tháng sáu năm 1931 và dài 412 mét. Xe tải không trả phí từ ba tháng nay. Tất cả xe buýt trả hơn 20 đồng trước buổi trưa. Chỉ xe đạp được miễn phí.',
    changes: [
      ['name', 'Nguyễn Văn Hùng → Trần Văn Hùng'],
      ['date', 'tháng sáu → tháng bảy'],
      ['unit', '412 mét → 412 dặm'],
      ['number word', 'ba tháng → năm tháng'],
      ['comparative', 'hơn 20 → dưới 20'],
      ['comparative', 'trước buổi → sau buổi'],
      ['quantifier', 'Chỉ xe đạp → Xe đạp'],
      ['negation', 'không trả → trả'],
    ],
    faithful: ['Xe tải không trả phí.', 'Cây cầu dài 412 mét.'],
  },
  el: {
    passage:
      'Η γέφυρα άνοιξε από τη Μαρία Παππά στις 14 Ιουνίου 1931 και έχει μήκος 412 μέτρα. Τα φορτηγά δεν πληρώνουν διόδια εδώ και τρεις μήνες. Όλα τα λεωφορεία πληρώνουν περισσότερο από 20 ευρώ πριν το μεσημέρι. Μόνο τα ποδήλατα περνούν χωρίς έλεγχο.',
    changes: [
      ['name', 'Μαρία Παππά → Ελένη Παππά'],
      ['date', 'Ιουνίου → Ιουλίου'],
      ['unit', '412 μέτρα → 412 μίλια'],
      ['number word', 'τρεις μήνες → πέντε μήνες'],
      ['comparative', 'περισσότερο → λιγότερο'],
      ['comparative', 'πριν το → μετά το'],
      ['quantifier', 'Όλα τα → Μερικά'],
      ['quantifier', 'Μόνο τα ποδήλατα → Τα ποδήλατα'],
      ['negation', 'δεν πληρώνουν → πληρώνουν'],
      ['negation', 'χωρίς έλεγχο → με έλεγχο'],
    ],
    faithful: ['Εδώ και τρεις μήνες τα φορτηγά δεν πληρώνουν διόδια.', 'Η γέφυρα έχει μήκος 412 μέτρα.'],
  },
  ro: {
    passage:
      'Podul a fost deschis de Maria Popescu la 14 iunie 1931 și are 412 metri. Camioanele nu plătesc taxa de trei luni. Toate autobuzele plătesc peste 20 de lei înainte de prânz. Doar bicicletele trec fără control. Podul n-a fost avariat de inundație.',
    changes: [
      ['name', 'Maria Popescu → Elena Popescu'],
      ['date', 'iunie → iulie'],
      ['unit', '412 metri → 412 mile'],
      ['number word', 'trei luni → cinci luni'],
      ['comparative', 'peste 20 → sub 20'],
      ['comparative', 'înainte de → după'],
      ['quantifier', 'Toate autobuzele → Unele autobuze'],
      ['quantifier', 'Doar bicicletele → Bicicletele'],
      ['negation', 'nu plătesc → plătesc'],
      ['negation', 'fără control → cu control'],
      ['negation', 'n-a fost → a fost'],
    ],
    faithful: ['De trei luni camioanele nu plătesc taxa.', 'Podul are 412 metri.'],
  },
};

/**
 * Returns, for each change of the passage, the sentence with the changed fact. @throws Error if the passage lacks the
 * old words.
 */
export function changesOf(language: string): { fact: Fact; text: string }[] {
  const { passage, changes } = ALTERED_PASSAGES[language]!;
  return changes.map(([fact, change]) => {
    const [from, to] = change.split(' → ') as [string, string];
    const unit = splitUnits(passage).find(({ start, end }) => passage.slice(start, end).includes(from));
    if (unit === undefined) throw new Error(`"${from}" is not in the passage in ${language}`);
    return { fact, text: passage.slice(unit.start, unit.end).replace(from, to) };
  });
}
