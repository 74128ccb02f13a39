/** Reads an export of Joplin: a tar archive in which notes, notebooks, tags and attachments are files named by their ids. */
import { Buffer } from 'node:buffer';
import type { FileMember } from '../../parsed.ts';

/** An item: its title and text, and `key: value` lines at the end of its file. */
interface Item {
  title: string;
  text: string;
  values: ReadonlyMap<string, string>;
}

const NOTE = '1';
const NOTEBOOK = '2';
const ATTACHMENT = '4';
const TAG_OF_NOTE = '6';
const NESTING_MAX = 20;

/** Returns the notes as Markdown with their notebooks as folders, and the attachments by their names. Encrypted notes have no text. */
export function joplinFiles(members: readonly FileMember[]): FileMember[] {
  const items = members.flatMap((member) => {
    const item = /^[^/]*\.md$/.test(member.name) ? itemOf(Buffer.from(member.bytes()).toString('utf8')) : undefined;
    return item ? [item] : [];
  });
  const ofType = (type: string) => items.filter(({ values }) => values.get('type_') === type);
  const byId = new Map(items.map((item) => [item.values.get('id') ?? '', item]));
  const tags = Map.groupBy(ofType(TAG_OF_NOTE), ({ values }) => values.get('note_id'));
  const notes = ofType(NOTE).map((note): FileMember => {
    const own = tags.get(note.values.get('id')) ?? [];
    const names = own.flatMap(({ values }) => byId.get(values.get('tag_id') ?? '')?.title ?? []);
    return { name: `${folderOf(note, byId)}${stepOf(note)}.md`, bytes: () => Buffer.from(markdownOf(note, names)) };
  });
  const files = members.filter(({ name }) => name.startsWith('resources/'));
  const attachments = files.map(({ name, bytes }): FileMember => {
    const item = byId.get(/([0-9a-f]{32})[^/]*$/.exec(name)?.[1] ?? '');
    return { name: item?.values.get('type_') === ATTACHMENT ? `resources/${stepOf(item)}` : name, bytes };
  });
  return [...notes, ...attachments];
}

function itemOf(source: string): Item | undefined {
  const text = source.replaceAll('\r\n', '\n').trimEnd();
  const at = text.lastIndexOf('\n\n');
  const lines = text.slice(at === -1 ? 0 : at + 2).split('\n');
  const values = new Map(lines.map((line) => [line.split(':', 1)[0]!, line.slice(line.indexOf(':') + 1).trim()]));
  if (!values.has('id') || !values.has('type_')) return undefined;
  const [title = '', ...body] = at === -1 ? [] : text.slice(0, at).split('\n');
  return { title, text: body.join('\n').trim(), values };
}

function folderOf(note: Item, byId: ReadonlyMap<string, Item>): string {
  const steps: string[] = [];
  let parent = byId.get(note.values.get('parent_id') ?? '');
  for (
    ;
    parent?.values.get('type_') === NOTEBOOK && steps.length < NESTING_MAX;
    parent = byId.get(parent.values.get('parent_id') ?? '')
  )
    steps.unshift(`${stepOf(parent)}/`);
  return steps.join('');
}

/** Returns the title of an item as one step of a path. */
function stepOf({ title, values }: Item): string {
  return title.replaceAll(/[/\\]/g, '-').trim() || values.get('id')!;
}

function markdownOf({ title, text, values }: Item, tags: readonly string[]): string {
  const facts = {
    title,
    tags: tags.join(', '),
    created: values.get('user_created_time'),
    author: values.get('author'),
  };
  const lines = Object.entries(facts).flatMap(([name, value]) => (value ? [`${name}: ${JSON.stringify(value)}`] : []));
  return `---\n${lines.join('\n')}\n---\n\n# ${title}\n\n${text}\n`;
}
