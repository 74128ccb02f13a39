/** Writes out the entities that an XML file declares for itself, as manuals and drawings do. Pure. */
import { badFile } from '../../failure.ts';
import { namedCharacter } from '../references.ts';

/** The document type is searched in this many UTF-16 units at the start. */
const PROLOG_UNITS = 64 * 1024;
/** Maximum length of all entities that are written out. Bombs are longer. */
const ADDED_UNITS_MAX = 1_000_000;
const TOO_LONG = 'The entities that the file declares are too long when they are written out.';
const WARNINGS_MAX = 10;

/** Maximum depth of entities within entities. Those of manuals are three or four deep. */
const DEPTH_MAX = 50;

/** Matches all before the document type, and its beginning. */
const DOCTYPE = /^(?:\s|<\?[^<>]*\?>|<!--(?:[^-]|-(?!->))*-->)*<!DOCTYPE\s[^<>[]*\[/i;
/** Matches what begins a part of the document type, and what may end it. */
const PART = /<!--|<\?|<!\[|\]\]>|["'\]]/g;
const CLOSINGS: Record<string, string> = { '<!--': '-->', '<?': '?>', '<![CDATA[': ']]>', '"': '"', "'": "'" };
const SUBSET_END = /\]\s{0,100}>/y;
/** Matches entities, also those of declarations (`%`), and in files of their own. Unparsed entities as pictures are left out. */
const DECLARATION =
  /<!ENTITY\s+(%\s+)?([\w:.-]{1,100})\s+(SYSTEM\s+|PUBLIC\s+(?:"[^"]*"|'[^']*')\s+)?(?:"([^"]*)"|'([^']*)')\s{0,100}>/g;
const REFERENCE = /&([A-Za-z_][\w:.-]{0,99});/g;
/** The names that each XML file has. Files may declare them again, in the same sense. */
const BUILT_IN = new Set(['lt', 'gt', 'amp', 'quot', 'apos']);

/**
 * Returns the XML without its own declarations, and with the texts of its entities and the signs of the usual ones in the place
 * of their names, except in CDATA sections and comments. Files that an entity names are never read. Their references stay, as do
 * those whose text is not known, and warnings name them.
 *
 * @throws FileError if the entities become too long, or are too deep.
 */
export function withoutEntities(xml: string): { xml: string; warnings: string[] } {
  const { subset, body } = declarationsOf(xml);
  const { sources, files } = entitiesOf(subset);
  const texts = new Map<string, string>();
  const unknown = new Set<string>();
  let added = 0;
  const textOf = (name: string, depth: number) => {
    const source = sources.get(name);
    if (source !== undefined) {
      if (depth > DEPTH_MAX) throw badFile('parse', 'Forbidden XML', TOO_LONG);
      // An entity that contains itself is not known within itself.
      sources.delete(name);
      texts.set(name, expand(source, depth + 1));
    }
    // `&LT;` of HTML must not become markup. `&Lt;` is another sign.
    return texts.get(name) ?? namedCharacter(name)?.replace('&', '&amp;').replace('<', '&lt;').replace('"', '&quot;');
  };
  const expand = (source: string, depth: number): string =>
    outsideVerbatim(source, (part) =>
      part.replace(REFERENCE, (reference, name: string) => {
        if (BUILT_IN.has(name)) return reference;
        const text = textOf(name, depth);
        if (text === undefined) {
          unknown.add(name);
          return reference;
        }
        added += text.length - reference.length;
        if (added > ADDED_UNITS_MAX) throw badFile('parse', 'Forbidden XML', TOO_LONG);
        return text;
      }),
    );
  const expanded = expand(body, 0);
  const warnings = [...unknown].slice(0, WARNINGS_MAX).map((name) => {
    const file = files.get(name);
    if (file === undefined) return `The text of the entity ${name} is not known.`;
    return `The file includes ${file}, which is read separately.`;
  });
  return { xml: expanded, warnings };
}

/** Returns the texts of the entities, and the files of the others. The first declaration of a name counts. */
function entitiesOf(subset: string): { sources: Map<string, string>; files: Map<string, string> } {
  const [sources, files] = [new Map<string, string>(), new Map<string, string>()];
  for (const [, ofDeclarations, name = '', external, double, single] of subset.matchAll(DECLARATION)) {
    if (ofDeclarations || sources.has(name) || files.has(name)) continue;
    const value = double ?? single ?? '';
    if (external) files.set(name, value);
    else sources.set(name, value.replace(/&#(?:38|x26);/g, '&'));
  }
  return { sources, files };
}

/** Returns the source with `change` applied outside CDATA sections and comments. */
function outsideVerbatim(source: string, change: (part: string) => string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: opening, index } of source.matchAll(/<!--|<!\[CDATA\[/g)) {
    if (index < from) continue;
    const close = source.indexOf(CLOSINGS[opening]!, index + opening.length);
    const end = close === -1 ? source.length : close;
    parts.push(change(source.slice(from, index)), source.slice(index, end));
    from = end;
  }
  return parts.join('') + change(source.slice(from));
}

/** Returns the declarations within the document type, and the XML without them. */
function declarationsOf(xml: string): { subset: string; body: string } {
  const none = { subset: '', body: xml };
  const head = xml.slice(0, PROLOG_UNITS);
  const begin = DOCTYPE.exec(head)?.[0].length;
  if (begin === undefined) return none;
  let subset = '';
  let from = begin;
  let sections = 0;
  PART.lastIndex = begin;
  for (let part = PART.exec(head); part; part = PART.exec(head)) {
    const [mark] = part;
    if (mark === '<![') {
      // Marked sections are left out: what they depend on is often in another file.
      if (sections === 0) subset += head.slice(from, part.index);
      sections += 1;
    } else if (sections > 0) {
      if (mark !== ']]>') continue;
      sections -= 1;
      from = PART.lastIndex;
    } else if (mark.startsWith(']')) {
      SUBSET_END.lastIndex = part.index;
      const end = SUBSET_END.exec(head);
      if (end) return { subset: subset + head.slice(from, part.index), body: xml.slice(SUBSET_END.lastIndex) };
      PART.lastIndex = part.index + 1;
    } else {
      const closing = CLOSINGS[mark]!;
      const close = head.indexOf(closing, PART.lastIndex);
      if (close === -1) return none;
      PART.lastIndex = close + closing.length;
      if (!mark.startsWith('<')) continue;
      subset += head.slice(from, part.index);
      from = PART.lastIndex;
    }
  }
  return none;
}
