/**
 * Words that carry no topic, by language, lower case. Only queries drop them, so short lists of the commonest function and
 * question words do: BM25 gives what is missing little weight anyway.
 */

const LISTS: Record<string, string> = {
  ar: 'في من على إلى عن مع هذا هذه ذلك التي الذي ما ماذا متى أين كيف هل كم لماذا هو هي كان كانت أن إن لا لم أو و ثم قد كل بعد قبل بين حتى',
  da: 'og i at det en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over da fra du ud sin dem os op hvad hvem hvor hvornår hvorfor hvordan hvilken hvilket hvilke kan skal vil blev blive eller',
  de: 'der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren wird werden wurde wurden hat haben hatte hatten sein in im an am auf aus bei mit nach von vom zu zum zur für über unter durch als wie wenn dass daß es er sie wir ihr ich du man nicht auch nur noch so sich was wer wo wann warum worauf wogegen worin worum wofür wodurch womit woran worüber wovon wozu woraus wobei wem wen wessen viele viel wieviele welche welcher welches welchen welchem wieviel um bis vor zwischen gegen ohne dieser diese dieses diesem diesen',
  el: 'ο η το οι τα του της των τον την και κι να σε στο στη στην στον στα με για από που πως τι ποιος ποια ποιο ποιοι ποιες πότε πού γιατί είναι ήταν θα δεν δε μη μην ως αλλά ή ένα ένας μια μία αυτό αυτή αυτός όταν',
  en: 'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with what which who whom how when where why did do does has have had been were from can could would should its he she his her we you your our i me my than so also s t',
  es: 'de la que el en y a los del se las por un para con no una su al lo como más o pero sus le ya fue este ha sí porque esta son entre cuando muy sin sobre ser también me hasta hay donde quien desde todo nos durante qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuántos cuántas es era eran fueron está están',
  fi: 'ja on ei se että oli hän joka mutta kun niin tai myös sen ovat mitä mikä mitkä kuka ketkä missä milloin miksi miten kuinka minkä olla ollut jos kuin ne tämä',
  fr: 'le la les l un une des du de d et à au aux en dans par pour sur avec sans sous que qui quoi qu ce cet cette ces se s ne n pas plus est sont était étaient être a ont avait avoir il elle ils elles on nous vous je j tu son sa ses leur leurs ou où mais donc comme comment quand pourquoi quel quelle quels quelles combien y c m t',
  hi: 'का की के को में से है हैं था थी थे और या पर ने यह वह ये वे एक कि जो तो भी ही कर हो गया क्या कौन कब कहाँ कहां क्यों कैसे कितने कितना कितनी किस किसने किसे लिए साथ',
  hu: 'a az egy és hogy nem is ez azt van volt de meg csak mint már ki mi mit mikor hol miért hogyan melyik mennyi hány vagy ha el fel',
  it: 'il lo la i gli le l un uno una di del dello della dei degli delle dell a al allo alla ai agli alle all da dal dalla dai in nel nella nei nelle con su sul sulla per tra fra e ed o ma se che chi cui non come dove quando perché quale quali quanto quanti quante cosa è sono era erano essere ha hanno si ci',
  nl: 'de het een en van in op te dat is was waren zijn voor met die niet aan er om ook als dan maar bij of uit nog naar heeft had hebben door over wordt worden werd werden wat wie waar wanneer waarom hoe welke welk hoeveel hun hij zij ze we ik je dit deze tot',
  no: 'og i det at en et den til er som på de med han av for ikke der var seg men har om vi hadde hun nå over da fra du ut sin dem oss opp hva hvem hvor når hvorfor hvordan hvilken hvilket hvilke kan skal vil ble bli eller',
  pl: 'i w na z do nie się że jest to o a jak po od za przez dla czy ale co kto kiedy gdzie dlaczego który która które którzy ile był była było były są być oraz lub ten ta te tym jego jej ich',
  pt: 'de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando muito nos já eu também só pelo pela até isso ela entre depois sem mesmo aos quem qual quais onde porque quanto quantos quantas é são era foi foram ser está',
  ro: 'de la și în a al ale cu pe un o nu se ce care din este sunt era au fost fi pentru mai dar sau ca că prin cine când unde cum cât câți câte care lui ei lor cel cea cei această acest după',
  ru: 'и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня о из ему когда ли если или ни быть был была были до чем кто где почему какой какая какое какие каком сколько это этот эта эти для при их который которая которые которого',
  sv: 'och i att det en ett den till är som på de med han av för inte där var sig men har om vi hade hon nu över då från du ut sin dem oss upp vad vem vilka vilken vilket när varför hur kan ska vill blev bli eller',
  tr: 've bir bu da de için ile ne mi mı mu mü o en gibi daha çok kadar olan olarak sonra ise ya hangi kim kimin nerede nereye ne zaman neden niçin nasıl kaç değil var yok ama veya her',
  uk: 'і й в у не що він на я з як а то все вона так його але та ти до же ви за б по її було від о із коли чи якщо або бути був була були хто де чому який яка яке які скільки це цей ця ці для при їх',
  vi: 'và là của có các những được trong cho không với một này đã để từ khi ở ra vào đến người gì nào ai đâu bao nhiêu tại sao thế như về bị do cũng thì mà',
};

const SETS = new Map(Object.entries(LISTS).map(([language, words]) => [language, new Set(words.split(' '))]));
const NONE: ReadonlySet<string> = new Set();

/** Stop words of a language, lower case, not stemmed; the empty set for languages without a list. */
export function stopWordsOf(language: string): ReadonlySet<string> {
  return SETS.get(language) ?? NONE;
}
