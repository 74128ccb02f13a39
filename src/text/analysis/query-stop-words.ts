/**
 * Words that say nothing about what a query is looking for: besides the function words, pronouns, auxiliaries and question words in
 * all their forms. Prepositions of place and time stay: `insert a row above` is found by `above`.
 *
 * A word that may be what is looked for is never left out: it counts less.
 */
import { fold } from '../fold.ts';
import { stopWordsOf } from './stop-words.ts';

/** By language, lower case, beside those of stop-words.ts. None is a noun, a name or a letter as well. */
const MORE: Record<string, string> = {
  ar: 'خلال أثناء عندما ممن بمن لمن بم بكم هناك هؤلاء أولئك معه معها معهم أيهما وكان وكانت فهل فما فمن ومع وعن ولا وإن أي أية بأي لأي ماهو ماهي بماذا لما عما مما بما فيما كما إذ كذلك أيضا لكن ولكن بل حيث بأن لأن وأن وقد وكيف وما ومن وعلى وإلى ومتى وأين فيه فيها به بها له لها لهم عليه عليها منه منها إليه إليها عنه عنها هما تلك الذين اللذين اللتين كانوا يكون ليس ليست لن لقد تم يتم التى الذى وهو وهي',
  cs: 'na se je jsou byl byla bylo byli kdo kdy kde proč jaký jaká jaké kolik který která které kteří to',
  el: 'ποιον ποιους ποιου ποιας ποιων πόσο πόσα πόσοι πόσες πόσους πόση πόσων πώς τους στους στις στου στης σας μας μου σου αυτά αυτές αυτοί αυτών αυτόν αυτήν αυτούς αυτού αυτής όπου όπως οποίο οποία οποίος οποίοι οποίες οποίων οποίου οποίας οποίους έχει έχουν είχε είχαν έναν μιας ενός μπορεί μπορούν μπορούσε τη τις ότι πιο αν ώστε ενώ όμως επειδή διότι κάποιος κάποια κάποιο κάποιοι κάποιες κάποιου κάποιας κάποιων κάποιον κάποιους εκείνος εκείνη εκείνο εκείνοι εκείνες εκείνα υπάρχει υπάρχουν υπήρχε υπήρχαν πρέπει έπρεπε ποιανού ποιανής ποιός ποιά ποιό ποιοί ποιές πόσου πόσης τί γι απ κατ μετ σχεδόν',
  en: 'many much some any other about during having',
  es: 'aquellos aquellas ello ellos ellas unos unas otro otra otros otras cada tuvo tuvieron tener hubo si nuestro nuestra pudo pudieron podían siendo estaba estaban estos cuánta cuyo cuya cuyos cuyas adónde esos esas esto estas aquel aquella les mientras aunque había habían sido tiene tienen tenía puede pueden podía',
  fa: 'و از که این را با است برای آن یک تا چه کجا چگونه کدام چند چقدر آیا هر هم شد شده شدند بود بودند نیز یا اما اگر او آنها دارد داشت کرده چیست کیست',
  hi: 'हुईं गईं गयीं जातीं करतीं रहीं होतीं सकतीं लगीं दीं लीं कीं बारे दौरान नहीं चाहिए किन्हें किन्होंने किनसे किनमें किसलिए क्यूँ जाए जाएगा जाएगी जाएँ जाना सके सका सकी करें करके रहता रहती रहते देता देती देते लगा लगे लगी इसलिए क्योंकि ताकि जबकि कुछ सभी ऐसा ऐसे ऐसी इसमें उसमें इससे उससे इनमें उनमें जिनमें जिससे जिनके जिनका जिनकी होगी होंगे कौनसा कौनसी कौनसे किनके किसका किसकी किसके किससे किसमें कैसा कैसी किधर हुआ हुई हुए किया किए किये गई गए गयी गये दिए करना करने करता करते करती रहा रही रहे होता होती होते होने होना हों होगा थीं जाता जाते जाने सकता सकती सकते वाला वाली वाले उस उसका उसकी उसके उसे उसने इस इसका इसकी इसके इसे इसने उनका उनकी उनके उन्हें उन्होंने इनका इनकी इनके इन्हें जिस जिसका जिसकी जिसके जिसे जिसने जिसमें जिन्हें जिन्होंने अपना अपनी अपने द्वारा कोई किसी जब तब जहां वहां यहां अब यदि लेकिन तथा एवं अथवा हम',
  id: 'yang untuk dari adalah siapa kapan bagaimana mengapa berapa apakah',
  it: 'nell sull dall quanta chiunque questo questa questi queste quello quella quelli quelle sua suo suoi loro può possono stata',
  ro: 'câtă cărui cărei căror căruia căreia ceea acesta aceasta aceste acestor acestui acestei acel acea acela aceea său săi își îi îl ele ea voi ne vă le dintr într printr unui unei unor una unul poate putea va vor fie avea avut aveau iar dacă să cele celor celui celei acestora acesteia acelui acelei acelor cărora cui câtor anume sânt fiind despre dintre acești acestea aceștia',
  ru: 'какую какого какому каким каких какими чей чья чьи чьё чьим чьей чьего чьих чего чему кого кому кем куда откуда зачем именно которой которому которым которыми которую котором эту этого этой этом этому этих этим этими тот та те того им ей них ним ней нее нём него ними свой свою своей своего своих свои себя мы нас нам вас вам они оно об может могут мог является являются являлся являлась стала имеет каков какова каково каковы скольких скольким сколькими насколько ещё уже также тоже чтобы потому поэтому однако хотя там здесь тогда будет будут будучи такой такая такое такие такого таких себе собой сама само можно ими ею',
  tr: 'nedir neydi neler nelerdir neyi neye neyin hangisi hangisidir hangileri kimdir kimdi kime kimi kimler kimden kaçtır kaçıncı nerededir neresi neresidir nereden nasıldır olduğu olduğunu oldu olur edilen etti ki onun onu ona onlar onların bunun bunu buna şu tarafından nasıldı nedendir kadardı kadardır kiminle kimlerle kimlere kimlerin kimleri kimlerdir kimlerdi kimindir nelerdi nelere neleri neyle neredeydi nerelerde nerelere neresiydi niye mıdır midir mıydı miydi muydu müydü vardır vardı yoktur değildir ancak fakat çünkü yani ayrıca bunlar bunların bunları bundan bunda ondan onda onları onlara olmuştur olmuştu olmuş olmak olması olmasını olmasının olmayan olup olunca oluyor oluyordu olurdu etmek etmiştir etmişti etmiş etmesi ediyor ediyordu eder ederek edilir edildi edilmiştir edilmiş ediliyor edilmesi edildiği ettiği ettiler',
  vi: 'mấy hoặc nên vẫn sẽ bởi nhưng nếu vì nó đó rằng đang',
};

/**
 * Those that are (Spanish `este` is `this` and `east`, Portuguese `São Paulo`, Romanian `pot`, Persian `کرد`): they count less, whichever
 * list they are in.
 */
const DOUBTFUL: Record<string, string> = {
  ar: 'اي تكون وفي سوف هم',
  cs: 'co jak a i v',
  de: 'sein waren',
  el: 'ποσο ποσα ποσων',
  en: 'being will can',
  es: 'fuera sea sean hizo hace hacen hacía hacer uno este era son ser sobre ese eso esa mi ni han tu',
  fa: 'در به کرد کی می بر چرا خود',
  fr: 'son pas est être avoir sous',
  hi: 'लिया ली पाई पाईं पाया पाए कर दिया दी सी सा किन उन इन न जिन जाती',
  hu: 'nem volt',
  id: 'dan itu ini mana di apa',
  it: 'state sue quest era essere dei nei fra',
  nl: 'was bij waren',
  pl: 'jak',
  pt: 'são era ser',
  ro: 'pot sa sale ai ar noi li el mai dar era si in făcut face cat',
  ru: 'ли есть сам сами называется называются называют называли называлась назывался называлось назывались зовут звали находится находятся находился находилась находилось находились',
  tr: 'zaman neden kim eden idi müdür mudur kaçtı bulunur bulunan bulunuyor bulunuyordu bulunmaktadır bulunduğu',
  vi: 'người từ sao thế không do ai bao hay bị tại chúng còn lại cùng hơn',
};

/** Without their marks, as they are typed in haste: only what is no other word then (`über` is, and so are `şu`, `são` and `más`). */
const UNMARKED: Record<string, string> = {
  cs: 'jaky jake ktery ktere kteri',
  de: 'wofur woruber',
  el: 'ποσοι ποσες ποσους ειναι ηταν αλλα ενα ενας εναν ενος αυτο αυτος αυτη αυτα αυτες αυτοι αυτων αυτον αυτης οπου οπως οποιο οποια οποιος οποιοι οποιες οποιου οποιας εχει εχουν ειχε ειχαν μπορει μπορουν οταν γιατι οτι ωστε ομως επειδη διοτι υπαρχει υπαρχουν υπηρχε υπηρχαν πρεπει επρεπε ποιανου ποιανης καποιος καποια καποιο ποση',
  es: 'cual cuales quienes cuantos cuantas cuanta adonde habian tambien estan',
  fr: 'etait etaient',
  it: 'perche puo',
  pl: 'ktory ktora ktore ktorzy byc',
  pt: 'nao tambem',
  ro: 'cati cate cata cand catre caruia careia caror carui acestia',
  tr: 'nasil nasildir nicin kac kactir kacinci degil cok icin oldugu oldugunu tarafindan nasildi vardir vardi olmustur etmistir edilmistir',
};

/** Endings of names and numbers, behind an apostrophe: Türkiye’nin, 1923’te, 1970’lerde, 19’uncu, 3’e. Elsewhere they are words: `un`, `tür`, `ten`. */
const TURKISH_ENDINGS =
  /(?<=[\p{L}\p{N}])['’](?:n?[ıiİuü]n|n?[dt][ae]n?|[dt][ae]k[iİ]|[ny][ıiİuüae]|y?l[ae]|[dt][ıiİuü]r|l[ıiİuü]k?|s[ıiİuü](?:n[ıiİuü]n?|nd[ae]n?|n[ae])?|l[ae]r(?:[ıiİ]n?|[ae]|d[ae]n?|l[ae])?|[ıiİuü]?nc[ıiİuü]|(?<=\p{Nd}['’])[aeıiİuü])(?![\p{L}\p{N}])/giu;

/** Pronouns, prepositions and the like that a hyphen joins: s-a, într-o, să-și. They are no words of their own: `S`, `L`. */
const ROMANIAN_PAIRS =
  /(?<![\p{L}\p{N}-])(?:[smlniv]|[mtțţsșşnvl]i|ne|v[ăa]|le|s[ăa]|nu|ce|c[ăa]?|de|(?:d|pr)?[îi]ntr)-(?:[aoil]|a[uirmsșş]|a[tțţ]i|un(?:ul|ui|a|ei)?|[mtțţsșş]i|le|ne|se|vor)(?![\p{L}\p{N}-])/giu;
/** Articles and pronouns behind a word, and what makes a number an ordinal: NFL-ului, site-urile, însoțit-o, XVI-lea. Not model-A, type-II. */
const ROMANIAN_ENDINGS =
  /(?:(?<=[\p{L}\p{N}])-(?:i?ul|i?ului|uri(?:le|lor)?|lui|lea?|lor|ei|ii|ilor|ele|elor|o)|(?<=[\dIVXLC])-a)(?![\p{L}\p{N}-])/gu;

const ARABIC_MARKS = /[\u0640\u064b-\u065f\u0670]/g;
const ALEF_FORMS = /[أإآ]/g;

/** `doubtful`: it may be a name or a noun as well. */
export type StopWord = 'certain' | 'doubtful';

const known = new Map<string, ReadonlyMap<string, StopWord>>();

/** `lower` is in lower case, not stemmed. Undefined for other words, and in languages without a list. */
export function queryStopWord(lower: string, language: string): StopWord | undefined {
  let words = known.get(language);
  if (!words) {
    words = readLists(language);
    known.set(language, words);
  }
  const spelled = withoutVowels(lower, language);
  return words.get(spelled) ?? (language === 'ar' ? words.get(spelled.replace(ALEF_FORMS, 'ا')) : undefined);
}

export function withoutTurkishEndings(query: string): string {
  return query.replace(TURKISH_ENDINGS, ' ');
}

/** As it is when nothing would remain. */
export function withoutRomanianClitics(query: string): string {
  // What is in capitals is a formula or a name: C-O, V-I.
  const rest = query
    .replace(ROMANIAN_PAIRS, (pair) => (/-\P{Lu}+$/u.test(pair) ? ' ' : pair))
    .replace(ROMANIAN_ENDINGS, ' ');
  return /[\p{L}\p{N}]/u.test(rest) ? rest : query;
}

function readLists(language: string): ReadonlyMap<string, StopWord> {
  const listed = (lists: Record<string, string>): string[] => lists[language]?.split(' ') ?? [];
  const words = new Map<string, StopWord>();
  for (const word of [...stopWordsOf(language), ...listed(MORE), ...listed(UNMARKED)]) {
    const spelled = withoutVowels(word, language);
    words.set(spelled, 'certain');
    if (language === 'ar') words.set(spelled.replace(ALEF_FORMS, 'ا'), 'certain');
  }
  for (const word of listed(DOUBTFUL)) words.set(withoutVowels(word, language), 'doubtful');
  return words;
}

/** Without what is left out as often as not: vowels of Arabic, dots of Russian ё, variants of Persian letters, dots of Hindi ones. */
function withoutVowels(lower: string, language: string): string {
  if (language === 'ar') return lower.replace(ARABIC_MARKS, '');
  if (language === 'ru') return lower.replaceAll('ё', 'е');
  return language === 'fa' || language === 'hi' ? fold(lower) : lower;
}
