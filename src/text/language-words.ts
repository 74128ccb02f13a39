/** Very frequent function words by language: a few of them tell a language more surely than n-grams of a short text. */

const WORDS: Record<string, string> = {
  en: 'the of and to in is that for with as on are by this from be at or which an was were have has been it not these but their can we',
  de: 'der die und das den von mit ist des im für auf nicht dem ein eine sich auch als wird werden einer bei aus dass zu sind wurde nach oder',
  fr: 'le la les de des et est un une dans que pour sur par qui au du avec ne pas sont plus ce cette aux il elle ou été',
  es: 'el la los las de que y en un una por con para se del al es no su como más fue lo son entre sobre este esta o',
  pt: 'o a os as de que e em um uma por com para se do da dos das no na não ao mais foi como são pelo pela ou',
  it: 'il la le di che e in un una per con del della dei delle si non è da al sono nel nella anche più come gli alla',
  nl: 'de het een en van in is dat op te voor met zijn niet aan er door als bij ook om naar uit wordt worden deze',
  sv: 'och att det som en är av för på med till den i har inte om ett var de från kan eller vid men',
  da: 'og at det som en er af for på med til den i har ikke om et var de fra kan eller ved men der blev',
  no: 'og at det som en er av for på med til den i har ikke om et var de fra kan eller ved men ble etter',
  fi: 'ja on ei että se oli hän joka myös ovat mutta kun tai sen vuonna ole jotka sekä mukaan kuin niin',
  pl: 'i w na z do nie się jest to że o jak od po za przez dla są przy oraz był lub który która ale',
  cs: 'a v na se je že z do s o to jako za by byl který pro od jsou nebo ale po při také podle',
  sk: 'a v na sa je že z do s o to ako za by bol ktorý pre od sú alebo ale po pri aj podľa',
  hu: 'a az és hogy nem is egy van volt meg de ez mint csak ha már el vagy azt ezt között után szerint',
  ro: 'și şi în de la a cu pe nu este un o din că care mai pentru sunt al ale fost sau prin după',
  tr: 've bir bu da de için ile olarak olan gibi daha çok en ne o kadar sonra ancak olduğu tarafından veya',
  vi: 'và của là có trong được một các cho với không những người đã này từ khi đến ở để theo vào',
  id: 'yang dan di dengan untuk dari pada ini adalah itu dalam tidak ke oleh atau sebagai juga akan telah karena',
  ca: 'el la els les de que i en un una per amb del al és no més va com són dels aquest aquesta o',
  hr: 'i u je na se da su za od s o kao koji koja bio što ali ili iz po nije sa te do biti',
  lt: 'ir yra kad su iš į buvo tai kaip bet jo arba už apie nuo iki dėl prie taip pat',
  lv: 'un ir ar no ka par kas uz tika vai bija kā pēc arī bet to pie līdz tā',
  et: 'ja on ei et oli see kui ka või ning aga mis oma kes tema siis selle olid',
  ru: 'и в на не что с по как это из для к от он за у также был его но или при до были которые',
  uk: 'і в на не що з до та як це у за від для він також був або його але при які є',
  bg: 'и в на не че с по от за да се е като са той до във при или които но през',
  sr: 'и у је на се да су за од с као који која био што али или из по није са те до',
  ar: 'في من على إلى أن هذا هذه التي الذي عن مع كان لا ما أو بين بعد كما وقد قد',
  fa: 'در و به از که این را با است برای آن یک بر تا شد شده های می بود هم',
  ur: 'کے میں کی ہے اور سے کا کو اس پر نے یہ ہیں کہ بھی تھا ایک جو',
  hi: 'के में की है और से का को इस पर ने यह हैं कि भी था एक जो लिए',
  mr: 'आहे आणि या हे ते आहेत होते व होता मध्ये च्या साठी असे तर',
  ne: 'छ र मा को का ले हो यो पनि गर्न थियो भएको लाई एक',
};

/** Function word -> the languages that use it. */
const LANGUAGES_OF = new Map<string, string[]>();
for (const [language, words] of Object.entries(WORDS)) {
  for (const word of words.split(' ')) LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), language]);
}

/** Share of function words from which a text counts as running text of a language; and when it has far more than of any other. */
const SHARE_MIN = 0.08;
const CLEAR_SHARE_MIN = 0.02;
const CLEAR_LEAD = 2;
const HITS_MIN = 2;
const CLEAR_HITS_MIN = 3;
/** A language needs HITS_MIN words that are longer than a letter, which may name a variable or a key, and not English as well. */
const TELLING_UNITS_MIN = 2;

/** The language whose function words fill most of the sample, or undefined when none stands out. It is none of the `excluded`. */
export function languageByWords(sample: string, excluded: ReadonlySet<string>): string | undefined {
  // Names are made of function words, too: Los Angeles, De Niro. Running text has most of them in lower case.
  const text = /\p{Ll}/u.test(sample) ? sample : sample.toLowerCase();
  const hits = new Map<string, number>();
  const telling = new Map<string, number>();
  let words = 0;
  for (const [word] of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    words += 1;
    const languages = LANGUAGES_OF.get(word) ?? [];
    for (const language of languages) {
      hits.set(language, (hits.get(language) ?? 0) + 1);
      if (word.length >= TELLING_UNITS_MIN && (language === 'en' || !languages.includes('en'))) {
        telling.set(language, (telling.get(language) ?? 0) + 1);
      }
    }
  }
  const [first, second] = [...hits]
    .filter(([language]) => (telling.get(language) ?? 0) >= HITS_MIN && !excluded.has(language))
    .sort((a, b) => b[1] - a[1]);
  if (!first || first[1] < HITS_MIN || first[1] === second?.[1]) return undefined;
  const isClear = first[1] >= CLEAR_HITS_MIN && first[1] >= CLEAR_LEAD * (second?.[1] ?? 0);
  return first[1] >= words * (isClear ? CLEAR_SHARE_MIN : SHARE_MIN) ? first[0] : undefined;
}

/** Whether one of the language's function words of two letters or more occurs, in lower case. */
export function hasFunctionWord(sample: string, language: string): boolean {
  const words = sample.match(/[\p{L}\p{M}]{2,}/gu) ?? [];
  return words.some((word) => LANGUAGES_OF.get(word)?.includes(language));
}
