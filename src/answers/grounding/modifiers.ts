/**
 * Words that change what a sentence says without being what it is about: negations, quantifiers, comparisons, units, months.
 * Two texts that agree in all else contradict each other when they differ in one of these. Pure.
 */

/** What kind of change it makes, and which: words of one value say the same. */
export interface Modifier {
  kind: string;
  value: string;
  /** Such a word is also what its sentence is about: it is compared only with another of its kind. */
  isTopic: boolean;
}

const NEGATION = 'negation';
export const QUANTITY = 'quantity';
export const ALL = 'all';
export const COMPARISON = 'comparison';
export const AT_MOST = 'at most';
const PERIOD = 'period';
const YEAR = '0';
/** Of what may be done and what must be; with a negation both forbid. */
export const MODAL = 'may|might|can must|shall';

/** Words that stand alone or are left out without changing what is compared. */
const LISTS: readonly (readonly [kind: string, value: string, words: string])[] = [
  [
    QUANTITY,
    ALL,
    'all every each always everyone everybody everything entire alle alles allen jede jeder jedes jeden jedem immer stets sämtliche tous toutes chaque toujours todos todas cada siempre tutti tutte ogni sempre все всех всем всегда каждый каждая каждое tüm bütün her daima hepsi mọi luôn όλοι όλες όλα κάθε πάντα toți toate fiecare mereu întotdeauna كل جميع دائما सभी हर हमेशा 모든 모두 항상',
  ],
  [
    QUANTITY,
    'some',
    'some sometimes partly several occasionally einige manche manchmal teilweise quelques certains certaines parfois algunos algunas alcuni alcune talvolta некоторые иногда bazı bazen μερικοί μερικές μερικά κάποτε unii unele câteva uneori بعض أحيانا कुछ कभी 일부 몇몇 가끔',
  ],
  [
    QUANTITY,
    'most',
    'most mostly usually meist meisten meistens plupart mayoría большинство çoğu hầu majoritatea معظم अधिकांश 대부분',
  ],
  [
    QUANTITY,
    'many',
    'many viele vielen beaucoup muchos muchas molti molte много многие birçok nhiều πολλοί πολλές πολλά mulți multe',
  ],
  [
    QUANTITY,
    'few',
    'few rarely seldom hardly barely wenige selten kaum peu rarement pocos pocas raramente мало редко nadiren hiếm σπάνια puțini rar rareori نادرا',
  ],
  [
    QUANTITY,
    'half',
    'half hälfte halbe halben moitié mitad metà половина половину yarısı μισό μισοί jumătate نصف आधा आधे',
  ],
  [
    'only',
    'only',
    'only solely exclusively merely nur lediglich ausschließlich seulement uniquement solo sólo solamente únicamente soltanto только лишь sadece yalnızca chỉ μόνο doar numai فقط केवल सिर्फ 오직 단지',
  ],
  [
    COMPARISON,
    'more',
    'more over above exceeding greater mehr über plus más más superior più более больше свыше fazla aşkın hơn περισσότερο περισσότερους πάνω mult peste أكثر अधिक ज़्यादा ज्यादा',
  ],
  [
    COMPARISON,
    'less',
    'less fewer under below smaller weniger unter moins menos inferior meno менее меньше az düşük λιγότερο λιγότερους κάτω puțin sub أقل कम',
  ],
  [COMPARISON, 'at least', 'least minimum mindestens wenigstens mínimo almeno minimum asgari'],
  [COMPARISON, AT_MOST, 'up maximum höchstens maximal máximo'],
  ['time', 'before', 'before prior avant bevor vor antes prima перед önce trước πριν înainte قبل पहले 전에 이전'],
  ['time', 'after', 'after following après nachdem nach después dopo после sonra μετά după بعد बाद 후에 이후'],
  ['time', 'until', 'until till jusque hasta fino'],
  ['unit', '%', '% percent percentage prozent pourcent процент процента процентов yüzde प्रतिशत'],
];

/** Words that are compared only where one stands in place of the other. A bar parts words that say the same. */
const TOPICS: readonly (readonly [kind: string, words: string])[] = [
  ['month', 'january february march april may june july august september october november december'],
  ['month', 'januar februar märz april mai juni juli august september oktober november dezember'],
  ['month', 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'],
  ['month', 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'],
  ['month', 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'],
  ['month', 'января февраля марта апреля мая июня июля августа сентября октября ноября декабря'],
  ['month', 'ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık'],
  ['month', 'ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie'],
  [
    'month',
    'ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου',
  ],
  ['day', 'monday tuesday wednesday thursday friday saturday sunday'],
  ['day', 'montag dienstag mittwoch donnerstag freitag samstag sonntag'],
  ['day', 'lundi mardi mercredi jeudi vendredi samedi dimanche'],
  ['day', 'lunes martes miércoles jueves viernes sábado domingo'],
  [
    PERIOD,
    'year|years|yearly|annual|annually|jahr|jahre|jahren|jahres|jährlich|ans|année|années|año|años|anual|anualmente ' +
      'quarter|quarters|quarterly|quartal|quartale|trimestre|trimestres ' +
      'month|months|monthly|monat|monate|monaten|monats|monatlich|mois|mes|meses|mensual ' +
      'week|weeks|weekly|woche|wochen|wöchentlich|semaine|semaines|semana|semanas|semanal ' +
      'day|days|daily|tag|tage|tagen|täglich|jour|jours|día|días ' +
      'night|nights|nightly|nacht|nächte|nachts|nuit|nuits|noche|noches ' +
      'hour|hours|hourly|stunde|stunden|stündlich|heure|heures|hora|horas ' +
      'minute|minutes|minuten|minuto|minutos ' +
      'second|seconds|sekunde|sekunden|seconde|secondes|segundo|segundos',
  ],
];

/** Pairs that say the opposite, each a kind of its own. The words of a side are parted by a bar. */
const OPPOSITES = `
${MODAL}
increase|increases|increased|increasing|rise|rises|rose|grow|grows|grew|gained decrease|decreases|decreased|decreasing|fall|falls|fell|decline|declines|declined|dropped|shrank
higher|high|highest lower|low|lowest
larger|large|largest|bigger|biggest small|smallest
maximum minimum
first|erste|erster|ersten|premier|première|primero|primera|первый|первая last|final|latest|letzte|letzter|letzten|dernier|dernière|último|última|последний|последняя
early|earlier|earliest late|later|latest
longer|longest shorter|shortest
older|oldest newer|newest|younger|youngest
better|best worse|worst
faster|fastest slower|slowest
stronger|strongest weaker|weakest
win|wins|won lose|loses|lost
allow|allows|allowed|permit|permits|permitted forbid|forbids|forbidden|prohibit|prohibits|prohibited|banned
accept|accepts|accepted|approve|approves|approved|grant|grants|granted reject|rejects|rejected|refuse|refuses|refused|deny|denies|denied
include|includes|included|including exclude|excludes|excluded|excluding
true false
success|successful|succeeded|pass|passes|passed failure|fail|fails|failed
enable|enables|enabled|activate|activates|activated disable|disables|disabled|deactivate|deactivates|deactivated
present missing|absent
buy|buys|bought|purchase|purchases|purchased sell|sells|sold
add|adds|added remove|removes|removed|delete|deletes|deleted
start|starts|started|begin|begins|began end|ends|ended|stop|stops|stopped
mandatory|required|compulsory|obligatory optional|voluntary
public private
internal external
north|northern south|southern
east|eastern west|western
left right
positive positively negative negatively
inside outside
import|imports|imported export|exports|exported
open|opened|opens close|closed|closes
male|men|man|boys female|women|woman|girls
with without
often|frequently rarely|seldom
darf|dürfen|kann|können muss|müssen
peut|peuvent doit|doivent
puede|pueden debe|deben
erlaubt|gestattet|zulässig verboten|untersagt|unzulässig
permis|autorisé|autorisée interdit|interdite
permitido|permitida|permite prohibido|prohibida|prohíbe
offen|geöffnet geschlossen
ouvert|ouverte fermé|fermée
abierto|abierta cerrado|cerrada
aktiviert deaktiviert
activé|activée désactivé|désactivée
activado|activada desactivado|desactivada
bestanden durchgefallen
zugenommen|gestiegen|steigt|stieg abgenommen|gesunken|sinkt|sank
größer|höher kleiner|niedriger
увеличился|увеличилась|увеличилось|вырос|выросла уменьшился|уменьшилась|уменьшилось|снизился|снизилась
augmenté|augmente diminué|diminue
aumentó|aumenta disminuyó|disminuye
`;

const NEGATION_WORDS = new Set(
  (
    "not no never none nobody nothing neither nor without cannot can't won't don't doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't shouldn't mustn't wouldn't couldn't unable " +
    'nicht nie niemals niemand nichts ohne weder kein keine keinen keinem keiner keines ' +
    'pas jamais sans aucun aucune nunca jamás sin ningún ninguna ninguno non mai senza nessun nessuno nessuna não sem nenhum nenhuma niet geen nooit zonder ' +
    'не нет ни без никогда нельзя nie bez değil yok olmadan לא אין ללא לי не لا ليس ليست لم لن غير بدون نہیں नहीं न मत बिना không chẳng chưa δεν δε μη μην όχι χωρίς nu fără inte ikke ei'
  ).split(' '),
);
/** Such a word also means something else: it negates only where it is all that two texts differ in. */
const NEGATION_WORDS_WEAK = new Set('안 못 n ne ما ना niciodată ποτέ asla đừng'.split(' '));
/** Verbs of languages that negate with an ending. */
export const NEGATIVE_ENDING =
  /\p{L}(?:m[ıiuü]yor\p{L}*|m[ae]z(?:l[ae]r|d[ıi]\p{L}*)?|m[ae]m[ıi]ş\p{L}*|m[ae]d[ıi](?:l[ae]r|ğ\p{L}*|k|m)?|m[ae]m[ae]kt[ae]\p{L}*|m[ae]y[ae]c[ae][kğ]\p{L}*|m[ae]y[ae]n\p{L}*)(?!\p{L})/u;
/** Parts of words, in scripts without blanks and in Korean. */
export const NEGATION_PART =
  /ない|なかっ|なく|ません|なし|無し|禁止|不|没有|沒有|没|沒|未|无|無|非(?!常)|勿|않|없|못|아니|금지|ไม่|มิได้|ห้าม|ปราศจาก|ບໍ່/u;
/** The same for other modifiers, each with its kind and value. */
export const PARTS: readonly (readonly [RegExp, string, string])[] = [
  [/从不|从未|從不|從未|決して/u, NEGATION, NEGATION],
  [/所有|全部|每|全て|すべて|全員|常に|必ず|总是|總是|ทั้งหมด|ทุก|เสมอ/u, QUANTITY, ALL],
  [/一些|部分|某些|有些|一部|いくつか|時々|有时|บาง/u, QUANTITY, 'some'],
  [/大多数|大多數|大部分|多くの|ほとんど|ส่วนใหญ่/u, QUANTITY, 'most'],
  [/半数|半數|半分|一半|절반|ครึ่ง/u, QUANTITY, 'half'],
  [/par an(?!\p{L})/u, PERIOD, YEAR],
  [/只有|只|仅|僅|唯一|だけ|のみ|しか|เท่านั้น|เพียง/u, 'only', 'only'],
  [/超过|超過|多于|多於|高于|大于|逾|以上|より多|超え|มากกว่า|เกิน|이상|초과/u, COMPARISON, 'more'],
  [/不到|少于|少於|低于|小于|不足|以下|未満|より少|น้อยกว่า|이하|미만/u, COMPARISON, 'less'],
  [/至少|少なくとも|อย่างน้อย/u, COMPARISON, 'at least'],
  [/至多|最多|最大で|ไม่เกิน/u, COMPARISON, AT_MOST],
  [/퍼센트|パーセント|เปอร์เซ็นต์/u, 'unit', '%'],
  [/之前|以前|ก่อน/u, 'time', 'before'],
  [/之后|之後|以后|以後|หลัง/u, 'time', 'after'],
];
/** Signs that are words of their own. */
export const SIGN = /[%‰€$£¥₹₽₺₫<>≤≥±°]/u;

const MODIFIERS = modifiers();

function modifiers(): Map<string, Modifier> {
  const known = new Map<string, Modifier>();
  const add = (word: string, modifier: Modifier): void => {
    if (!known.has(word)) known.set(word, modifier);
  };
  for (const word of [...NEGATION_WORDS, ...NEGATION_WORDS_WEAK])
    add(word, { kind: NEGATION, value: NEGATION, isTopic: false });
  for (const [kind, value, words] of LISTS)
    for (const word of words.split(' ')) add(word, { kind, value, isTopic: false });
  for (const [kind, words] of TOPICS)
    for (const [i, same] of words.split(' ').entries())
      for (const word of same.split('|')) add(word, { kind, value: String(i), isTopic: true });
  for (const line of OPPOSITES.trim().split('\n'))
    for (const [i, side] of line.split(' ').entries())
      for (const word of side.split('|')) add(word, { kind: line, value: String(i), isTopic: true });
  for (const sign of '‰€$£¥₹₽₺₫<>≤≥±') add(sign, { kind: 'unit', value: sign, isTopic: false });
  return known;
}

/** What a word in lower case changes; undefined: nothing. */
export function modifierOf(word: string): Modifier | undefined {
  const known = MODIFIERS.get(word.replaceAll('’', "'"));
  if (known !== undefined) return known;
  if (NEGATIVE_ENDING.test(word)) return NEGATED_VERB;
  return word.endsWith("n't") || word.startsWith('değil') ? MODIFIERS.get('not') : undefined;
}

/** A verb that is negated in itself. */
export const NEGATED_VERB: Modifier = { kind: NEGATION, value: NEGATION, isTopic: true };

/** What a part of a word changes, as NEGATION_PART and PARTS find it. */
export function partModifier(kind: string, value: string): Modifier {
  return { kind, value, isTopic: false };
}

export const NEGATING = partModifier(NEGATION, NEGATION);

export function isNegationWord(word: string): boolean {
  return NEGATION_WORDS.has(word);
}

export function isNegation(modifier: Modifier | undefined): boolean {
  return modifier?.kind === NEGATION;
}
