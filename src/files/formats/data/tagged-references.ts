/** Reads references with a tag on each line: RIS, PubMed (`nbib`) and EndNote (`enw`). Pure. */
import { ownValue } from '../../../util/own-value.ts';
import { readWordPairs } from '../../../util/package-files.ts';

/** An entry of a bibliography. */
export interface Entry {
  type: string;
  key: string;
  fields: Map<string, string>;
}

/** Matches a line with a tag: `TI  - Editorial`, `PMID- 123`, `%T Editorial`. */
const TAGGED = /^(?:([A-Z][A-Z\d]{1,3}) {0,2}-(?: |$)|%([A-Z\d@!&?<>~+^*[\]]) )(.*)$/;
const BEGIN = /^\s{0,10}(?:TY {2}- |PMID- |%0 )/m;
/** Matches the first line of an entry of BibTeX, whose comments and values may have such tags. */
const BIBTEX = /^\s{0,10}@[ \t]{0,10}[\p{L}\d]{1,40}[ \t]{0,10}[({]/mu;
const PUBMED = /^\s{0,10}PMID- /m;
const HEAD_UNITS = 4096;

/** Names of the tags. Other tags stay as they are. */
const NAMES = new Map(Object.entries(readWordPairs('references/tags.txt')));
/** Tags that say how a data base keeps the entry. */
const TECHNICAL = /^(?:ER|STAT|OWN|DCOM|LR|EDAT|MHDA|CRDT|PHST|SB|JID|SO|TA|DEP|PHSTS?|PST|RF|%W)$/;
const TYPES = readWordPairs('references/types.txt');

/** Returns the entries, or undefined if the text is not in one of the formats. */
export function taggedEntries(source: string): Entry[] | undefined {
  const head = source.slice(0, HEAD_UNITS);
  if (!BEGIN.test(head) || BIBTEX.test(head)) return undefined;
  const isPubMed = PUBMED.test(head);
  const entries: Map<string, string[]>[] = [];
  let values: string[] | undefined;
  let isEnded = true;
  for (const line of source.split('\n')) {
    const [, ris, endNote, text = ''] = TAGGED.exec(line.replace(/^[\s\ufeff]{1,10}(?=[A-Z][A-Z\d] {2}- )/, '')) ?? [];
    const tag = ris ?? (endNote && `%${endNote}`);
    if (tag === undefined || !isTag(tag, isPubMed)) {
      if (line.trim() !== '' && values) values[values.length - 1] += ` ${line.trim()}`;
      continue;
    }
    if (isEnded || tag === 'PMID' || tag === '%0') entries.push(new Map());
    isEnded = tag === 'ER';
    const fields = entries.at(-1)!;
    values = fields.get(tag) ?? [];
    values.push(text.trim());
    fields.set(tag, values);
  }
  return entries.filter((fields) => [...fields.keys()].some((tag) => tag !== 'ER')).map(entryOf);
}

/** Returns false for an abbreviation that begins a line of text: `DNA - protein complexes`. Only PubMed has long tags, and many. */
function isTag(tag: string, isPubMed: boolean): boolean {
  return tag.length === 2 || isPubMed || NAMES.has(tag) || TECHNICAL.test(tag);
}

function entryOf(tags: ReadonlyMap<string, readonly string[]>): Entry {
  const lists = new Map<string, string[]>();
  for (const [tag, values] of tags) {
    // PubMed writes each author twice.
    if (TECHNICAL.test(tag) || (tag === 'AU' && tags.has('FAU'))) continue;
    const isArticle = tag === 'T2' && tags.get('TY')?.[0] === 'JOUR';
    const name = isArticle ? 'journal' : (NAMES.get(tag) ?? tag);
    const isPerson = name === 'author' || name === 'editor';
    const list = values
      .filter((value) => value !== '')
      .map((value) => (isPerson ? spoken(value) : value.replace(/\/{1,3}$/, '')));
    if (list.length > 0) lists.set(name, [...new Set([...(lists.get(name) ?? []), ...list])]);
  }
  const take = (name: string) => {
    const text = (lists.get(name) ?? []).join('; ');
    lists.delete(name);
    return text.replace(/\s+/g, ' ');
  };
  const pages = [take('first'), take('last')].filter((page) => page !== '').join('–');
  if (pages !== '') lists.set('pages', [pages]);
  const [type, key] = [take('type'), take('key')];
  const fields = new Map([...lists.keys()].map((name) => [name, take(name)] as const));
  return { type: ownValue(TYPES, type) ?? type.toLowerCase(), key, fields };
}

/** Returns a name as people say it: `Harrison, Warren, Jr.` becomes `Warren Harrison Jr.`. */
function spoken(name: string): string {
  const [last = '', first, suffix] = name.split(/,\s*/);
  return [first, last, suffix].filter(Boolean).join(' ');
}
