/** Reads an export of Joplin, in which notes, notebooks, tags and attachments are files with their ids as names. */
import { Buffer } from 'node:buffer';
import type { FileMember } from '../../parsed.ts';

/** Returns the notes and the attachments by their titles and ids. Facts stand as `key: value` lines at the end of each item. */
export function joplinFiles(members: readonly FileMember[]): FileMember[] {
  const items = members.map(({ name, bytes }) => {
    const [, id = ''] = /^([^/]*)\.md$/.exec(name) ?? [];
    const source = id === '' ? '' : Buffer.from(bytes()).toString('utf8').trimEnd();
    const end = source.lastIndexOf('\n\n');
    const type = /^type_: (\d{1,2})$/m.exec(source.slice(end + 1))?.[1];
    const [title = '', ...body] = source.slice(0, Math.max(0, end)).split('\n');
    return { id, type, title, body };
  });
  const titles = new Map(items.map(({ id, title }) => [id, title]));
  return members.flatMap((member, i): FileMember[] => {
    const { id, type, title, body } = items[i]!;
    if (type === '1')
      return [{ name: named(title, id, '.md'), bytes: () => Buffer.from(`# ${title}\n${body.join('\n')}\n`) }];
    if (type !== undefined) return [];
    const [, folder = '', file = '', ending = ''] = /^(resources\/)([^/.]*)([^/]*)$/.exec(member.name) ?? [];
    const own = titles.get(file) ?? '';
    return [own === '' ? member : { ...member, name: folder + named(own, file, ending) }];
  });
}

function named(title: string, id: string, ending: string): string {
  const words = title.endsWith(ending) ? title.slice(0, title.length - ending.length) : title;
  return `${words.replaceAll(/[/\\]/g, '-') || 'unnamed'} ${id}${ending}`;
}
