/** Writes out the entities that an XML file declares for itself, as manuals and drawings do. Pure. */
import { badFile } from '../../failure.ts';

/** The document type is searched in this many UTF-16 units at the start. */
const PROLOG_UNITS = 64 * 1024;
/** Maximum length of all entities that are written out. Bombs are longer. */
const ADDED_UNITS_MAX = 1_000_000;
const TOO_LONG = 'The entities that the file declares are too long when they are written out.';
const WARNINGS_MAX = 10;

/** Matches all before the document type, and its beginning. */
const DOCTYPE = /^(?:\s|<\?[^<>]*\?>|<!--(?:[^-]|-(?!->))*-->)*<!DOCTYPE\s[^<>[]*\[/i;
const SUBSET_END = /\]\s{0,100}>/g;
const DECLARATION = /<!ENTITY\s+([\w:.-]{1,100})\s+(?:"([^"]{0,4000})"|'([^']{0,4000})')\s{0,100}>/g;
/** Matches entities in files of their own. Pictures and other unparsed entities are left out. */
const EXTERNAL =
  /<!ENTITY\s+([\w:.-]{1,100})\s+(?:SYSTEM|PUBLIC\s+(?:"[^"]{0,300}"|'[^']{0,300}'))\s+(?:"([^"]{1,300})"|'([^']{1,300})')\s{0,100}>/g;
const REFERENCE = /&([A-Za-z_][\w:.-]{0,99});/g;

/**
 * Returns the XML without its own declarations, and with the texts of its entities and the signs of the usual ones in the place
 * of their names. Files that an entity names are never read: a warning says so, and the reference stays.
 *
 * @throws FileError if the entities become too long.
 */
export function withoutEntities(xml: string): { xml: string; warnings: string[] } {
  const { subset, body } = declarationsOf(xml);
  const texts = new Map<string, string>();
  const unknown = new Set<string>();
  let added = 0;
  const expand = (source: string) =>
    source.replace(REFERENCE, (reference, name: string) => {
      const text = texts.get(name) ?? usualSign(name);
      if (text === undefined) {
        unknown.add(name);
        return reference;
      }
      added += text.length - reference.length;
      if (added > ADDED_UNITS_MAX) throw badFile('parse', 'Forbidden XML', TOO_LONG);
      return text;
    });
  for (const [, name = '', double, single] of subset.matchAll(DECLARATION)) {
    const text = expand(double ?? single ?? '');
    if (!texts.has(name)) texts.set(name, text);
  }
  const expanded = expand(body);
  const files = [...subset.matchAll(EXTERNAL)].filter(([, name = '']) => unknown.has(name));
  return {
    xml: expanded,
    warnings: files
      .slice(0, WARNINGS_MAX)
      .map(([, , double, single]) => `The file includes ${double ?? single}, which is read separately.`),
  };
}

/** Returns the declarations within the document type, and the XML without them. */
function declarationsOf(xml: string): { subset: string; body: string } {
  const head = xml.slice(0, PROLOG_UNITS);
  const begin = DOCTYPE.exec(head)?.[0].length;
  if (begin === undefined) return { subset: '', body: xml };
  SUBSET_END.lastIndex = begin;
  const end = SUBSET_END.exec(head);
  return end
    ? { subset: head.slice(begin, end.index), body: xml.slice(end.index + end[0].length) }
    : { subset: '', body: xml };
}

/** Returns the sign that document types of books and pages name so: `é` for `eacute`. */
function usualSign(name: string): string | undefined {
  const mark = MARKED_LETTER.exec(name);
  return mark ? `${mark[1]}${MARKS[mark[2]!]}`.normalize() : SIGNS.get(name);
}

const MARKED_LETTER = /^([A-Za-z])(acute|grave|circ|uml|tilde|cedil|caron)$/;
const MARKS: Record<string, string> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  uml: '\u0308',
  tilde: '\u0303',
  cedil: '\u0327',
  caron: '\u030c',
};
const SIGNS = new Map(
  (
    'rsquo:’ lsquo:‘ rdquo:” ldquo:“ laquo:« raquo:» bdquo:„ mdash:— ndash:– hellip:… copy:© reg:® trade:™ deg:° bull:• ' +
    'middot:· times:× sect:§ para:¶ euro:€ plusmn:± micro:µ rarr:→ larr:← szlig:ß aelig:æ AElig:Æ oslash:ø Oslash:Ø aring:å ' +
    'Aring:Å iexcl:¡ iquest:¿ nbsp:\u00a0'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);
