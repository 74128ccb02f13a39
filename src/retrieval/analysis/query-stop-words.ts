/**
 * Words that say nothing about what a query is looking for: besides the function words, pronouns, auxiliaries and question words in
 * all their forms. Prepositions of place and time stay: `insert a row above` is found by `above`.
 */
import { fold } from './fold.ts';
import { stopWordsOf } from './stop-words.ts';

/** By language, lower case, beside those of stop-words.ts. */
const MORE: Record<string, string> = {
  ar: 'أي أية بأي لأي ماهو ماهي بماذا لما عما مما بما فيما كما إذ كذلك أيضا لكن ولكن بل حيث بأن لأن وأن وقد وكيف وما ومن وفي وعلى وإلى ومتى وأين فيه فيها به بها له لها لهم عليه عليها منه منها إليه إليها عنه عنها هم هما تلك الذين اللذين اللتين كانوا يكون تكون ليس ليست سوف لن لقد تم يتم التى الذى وهو وهي',
  cs: 'a i v na se je jsou byl byla bylo byli co kdo kdy kde proč jak jaký jaká jaké kolik který která které kteří to',
  el: 'ποιον ποιους ποιου ποιας ποιων πόσο πόσα πόσοι πόσες πόσους πόση πόσων πώς τους στους στις στου στης σας μας μου σου αυτά αυτές αυτοί αυτών αυτόν αυτήν αυτούς αυτού αυτής όπου όπως οποίο οποία οποίος οποίοι οποίες οποίων οποίου οποίας οποίους έχει έχουν είχε είχαν έναν μιας ενός μπορεί μπορούν μπορούσε',
  en: 'many much some any other about during being having',
  es: 'cuánta cuyo cuya cuyos cuyas adónde ni ese esa eso esos esas esto estos estas aquel aquella les mi tu mientras aunque han había habían sido tiene tienen tenía puede pueden podía',
  fa: 'و در به از که این را با است برای آن یک بر تا چه چرا کی کجا چگونه کدام چند چقدر آیا هر هم شد شده شدند بود بودند می نیز یا اما اگر او آنها خود دارد داشت کرد کرده چیست کیست',
  hi: 'कौनसा कौनसी कौनसे सा सी किन किनके किसका किसकी किसके किससे किसमें कैसा कैसी किधर हुआ हुई हुए किया किए किये गई गए गयी गये दिया दी दिए करना करने करता करते करती रहा रही रहे होता होती होते होने होना हों होगा थीं जाता जाती जाते जाने सकता सकती सकते वाला वाली वाले उस उसका उसकी उसके उसे उसने इस इसका इसकी इसके इसे इसने उन उनका उनकी उनके उन्हें उन्होंने इन इनका इनकी इनके इन्हें जिस जिसका जिसकी जिसके जिसे जिसने जिसमें जिन जिन्हें जिन्होंने अपना अपनी अपने द्वारा कोई किसी जब तब जहां वहां यहां अब यदि लेकिन तथा एवं अथवा न हम',
  id: 'yang dan di untuk dari ini itu adalah apa siapa kapan mana bagaimana mengapa berapa apakah',
  it: 'nell sull dall quest quali quanta chiunque cui questo questa questi queste quello quella quelli quelle sua suo suoi sue loro può possono stato stata stati state',
  ro: 'câtă cărui cărei căror căruia căreia ceea acesta aceasta acestea aceste acestor acestui acestei acel acea acela aceea său sa săi sale își îi îl ele ea el noi voi ne vă le li s l dintr într printr unui unei unor una unul poate pot putea va vor ar fie avea avut aveau iar dacă',
  ru: 'какую какого какому каким каких какими чей чья чьи чьё чьим чьей чьего чьих чего чему кого кому кем куда откуда зачем именно которой которому которым которыми которую котором эту этого этой этом этому этих этим этими тот та те того той тому тем том тех им ей них ним ней нее нём него ними свой свою своей своего своих свои себя мы нас нам вас вам они оно об про может могут мог является являются являлся являлась стал стала стали имеет',
  tr: 'nedir neydi neler nelerdir neyi neye neyin hangisi hangisidir hangileri kimdir kimdi kime kimi kimler kimden kaçtır kaçıncı nerededir neresi neresidir nereden nasıldır olduğu olduğunu oldu olur edilen eden etti idi ki onun onu ona onlar onların bunun bunu buna şu tarafından nin nın nun nün in ın un ün ya ye yi yı yu yü dan den tan ten ta te daki deki taki teki ki la le yla yle dır dir dur dür tır tir tur tür lı li lu lü',
  vi: 'mấy hay hoặc nên vẫn sẽ bởi nhưng nếu vì nó họ chúng đó',
};

/** Without its marks a word is another (Vietnamese), or a name is taken for one: Arabic على is `fold`ed to علي. */
const MARKS_MATTER = ['vi', 'ar'];
const ARABIC_MARKS = /[\u0640\u064b-\u065f\u0670]/g;
const ALEF_FORMS = /[أإآ]/g;

const sets = new Map<string, ReadonlySet<string>>();

/** `lower` is in lower case, not stemmed. False in languages without a list. */
export function isQueryStopWord(lower: string, language: string): boolean {
  let set = sets.get(language);
  if (!set) {
    set = spellings([...stopWordsOf(language), ...(MORE[language]?.split(' ') ?? [])], language);
    sets.set(language, set);
  }
  return set.has(simplified(lower, language));
}

/** As they are and as they are typed in haste. A word with other marks is another: Swedish `ar` may be `är`, but `år` is not. */
function spellings(words: readonly string[], language: string): ReadonlySet<string> {
  const known = words.map((word) => simplified(word, language));
  return new Set(MARKS_MATTER.includes(language) ? known : known.flatMap((word) => [word, fold(word)]));
}

/** Without what is left out as often as not: vowels and the forms of alef, variants of Persian letters, dots of Hindi ones. */
function simplified(lower: string, language: string): string {
  if (language === 'ar') return lower.replace(ARABIC_MARKS, '').replace(ALEF_FORMS, 'ا');
  return language === 'fa' || language === 'hi' ? fold(lower) : lower;
}
