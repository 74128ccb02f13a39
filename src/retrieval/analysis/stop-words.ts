/** Words that carry no topic, by language: short lists, since BM25 already gives frequent words little weight. */

const LISTS: Record<string, string> = {
  en: 'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with what which who whom how when where why did do does has have had been were from can could would should its he she his her we you your our i me my than so also',
  de: 'der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren wird werden wurde wurden hat haben hatte hatten sein in im an am auf aus bei mit nach von vom zu zum zur für über unter durch als wie wenn dass daß es er sie wir ihr ich du man nicht auch nur noch so sich was wer wo wann warum welche welcher welches welchen welchem wieviel wie um bis vor zwischen gegen ohne dieser diese dieses diesem diesen',
};

const SETS = new Map(Object.entries(LISTS).map(([language, words]) => [language, new Set(words.split(' '))]));
const NONE: ReadonlySet<string> = new Set();

/** Stop words of a language, lower case, not stemmed; the empty set for languages without a list. */
export function stopWordsOf(language: string): ReadonlySet<string> {
  return SETS.get(language) ?? NONE;
}
