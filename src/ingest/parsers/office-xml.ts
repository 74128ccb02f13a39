/** Small readings of Office XML parts that need no parser: properties and cell comments. Linear. */
import { readZipDirectory, readZipEntry } from '../zip.ts';

/** Bytes of one such part. */
const PART_BYTES_MAX = 128 * 1024 * 1024;

/** Title, author, dates and language of an Office file. */
export function coreProperties(bytes: Uint8Array): Record<string, string | undefined> {
  const xml = readParts(bytes, /^docProps\/core\.xml$/)[0] ?? '';
  const value = (tag: string) => {
    const found = new RegExp(`<${tag}(?:\\s[^<>]*)?>([^<]*)</${tag}>`).exec(xml)?.[1]?.trim();
    return found ? decodeXml(found) : undefined;
  };
  return {
    title: value('dc:title'),
    author: value('dc:creator'),
    created: value('dcterms:created'),
    modified: value('dcterms:modified'),
    language: value('dc:language'),
    description: value('dc:description'),
    keywords: value('cp:keywords'),
  };
}

/** What read-excel-file does not tell about a sheet. */
export interface SheetExtras {
  hidden: boolean;
  /** `A1:B2` references of merged cells. */
  merged: string[];
  /** `[author: Ann, cell: B2]: text`. Threads replace the notice that old versions see for them. */
  comments: string[];
}

/** Extras by sheet name. */
export function sheetExtras(bytes: Uint8Array): Map<string, SheetExtras> {
  const people = new Map<string, string>();
  for (const xml of readParts(bytes, /^xl\/persons\/[^/]+\.xml$/)) {
    for (const person of elements(xml, 'person'))
      people.set(attribute(person.head, 'id'), attribute(person.head, 'displayName'));
  }
  const targets = relations(bytes, 'xl/workbook.xml');
  const workbook = readPart(bytes, 'xl/workbook.xml');
  return new Map(
    elements(workbook, 'sheet').map((sheet) => {
      const part = targets.get(attribute(sheet.head, 'r:id')) ?? '';
      const links = [...relations(bytes, part).values()];
      const notes = links
        .filter((link) => /^xl\/comments/i.test(link))
        .flatMap((link) => notesOf(readPart(bytes, link)));
      const threads = links
        .filter((link) => link.startsWith('xl/threadedComments/'))
        .flatMap((link) => threadsOf(readPart(bytes, link), people));
      const state = attribute(sheet.head, 'state');
      const extras: SheetExtras = {
        hidden: state === 'hidden' || state === 'veryHidden',
        merged: elements(tail(readPart(bytes, part), '</sheetData>'), 'mergeCell').map(({ head }) =>
          attribute(head, 'ref'),
        ),
        comments: [...notes, ...threads].filter(({ text }) => text.trim() !== '').map(commentLine),
      };
      return [attribute(sheet.head, 'name'), extras] as const;
    }),
  );
}

interface CellComment {
  ref: string;
  author: string;
  text: string;
}

function notesOf(xml: string): CellComment[] {
  const authors = elements(xml, 'author').map((author) => decodeXml(author.body.trim()));
  const notes = elements(xml, 'comment').map((note) => ({
    ref: attribute(note.head, 'ref'),
    author: authors[Number(attribute(note.head, 'authorId'))] ?? '',
    text: elements(note.body, 't')
      .map((run) => decodeXml(run.body))
      .join(''),
  }));
  return notes.filter((note) => !note.author.startsWith('tc={'));
}

function threadsOf(xml: string, people: ReadonlyMap<string, string>): CellComment[] {
  return elements(xml, 'threadedComment').map((comment) => ({
    ref: attribute(comment.head, 'ref'),
    author: people.get(attribute(comment.head, 'personId')) ?? '',
    text: elements(comment.body, 'text')
      .map((part) => decodeXml(part.body))
      .join(''),
  }));
}

function commentLine({ ref, author, text }: CellComment): string {
  return `[${author === '' ? '' : `author: ${author}, `}cell: ${ref}]: ${text.trim()}`;
}

/** Relationship id -> part, for a part's relationships. */
function relations(bytes: Uint8Array, part: string): Map<string, string> {
  const slash = part.lastIndexOf('/');
  const folder = part.slice(0, slash + 1);
  const xml = readPart(bytes, `${folder}_rels/${part.slice(slash + 1)}.rels`);
  return new Map(
    elements(xml, 'Relationship').map(({ head }) => [
      attribute(head, 'Id'),
      resolvePart(folder, attribute(head, 'Target')),
    ]),
  );
}

function resolvePart(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  const path: string[] = [];
  for (const step of `${folder}${target}`.split('/')) {
    if (step === '..') path.pop();
    else path.push(step);
  }
  return path.join('/');
}

function tail(text: string, mark: string): string {
  const at = text.lastIndexOf(mark);
  return at === -1 ? '' : text.slice(at + mark.length);
}

function readPart(bytes: Uint8Array, name: string): string {
  const entry = readZipDirectory(bytes).find((candidate) => candidate.name === name);
  if (!entry) return '';
  return new TextDecoder().decode(readZipEntry(bytes, entry, PART_BYTES_MAX));
}

function readParts(bytes: Uint8Array, pattern: RegExp): string[] {
  return readZipDirectory(bytes)
    .filter(({ name }) => pattern.test(name))
    .map((entry) => new TextDecoder().decode(readZipEntry(bytes, entry, PART_BYTES_MAX)));
}

/** Elements of a name that do not contain themselves. */
function elements(xml: string, name: string): { head: string; body: string }[] {
  const found: { head: string; body: string }[] = [];
  const close = `</${name}>`;
  for (let at = findOpen(xml, name, 0); at !== -1; ) {
    const headEnd = xml.indexOf('>', at);
    if (headEnd === -1) break;
    const head = xml.slice(at, headEnd);
    const empty = head.endsWith('/');
    const end = empty ? headEnd : xml.indexOf(close, headEnd);
    if (end === -1) break;
    found.push({ head, body: empty ? '' : xml.slice(headEnd + 1, end) });
    at = findOpen(xml, name, end + 1);
  }
  return found;
}

function findOpen(xml: string, name: string, from: number): number {
  for (let at = xml.indexOf(`<${name}`, from); at !== -1; at = xml.indexOf(`<${name}`, at + 1)) {
    if (/[\s/>]/.test(xml[at + name.length + 1] ?? '')) return at;
  }
  return -1;
}

function attribute(head: string, name: string): string {
  return decodeXml(new RegExp(`\\s${name}="([^"]*)"`).exec(head)?.[1] ?? '');
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decodeXml(text: string): string {
  return text.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g, (whole, name, decimal, hex) => {
    if (name) return ENTITIES[name as string]!;
    const point = decimal ? Number(decimal) : Number.parseInt(hex as string, 16);
    return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : whole;
  });
}
