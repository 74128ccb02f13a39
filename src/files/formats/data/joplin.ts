/** Reads an export of Joplin, in which notes, notebooks, tags and attachments are files with their ids as names. */
import { Buffer } from 'node:buffer';
import type { FileMember } from '../../parsed.ts';

/** Returns the notes by their titles, and the attachments. Facts stand as `key: value` lines at the end of each file. */
export function joplinFiles(members: readonly FileMember[]): FileMember[] {
  return members.flatMap(({ name, bytes }) => {
    const source = /^[^/]*\.md$/.test(name) ? Buffer.from(bytes()).toString('utf8').trimEnd() : '';
    const end = source.lastIndexOf('\n\n');
    const type = /^type_: (\d{1,2})$/m.exec(source.slice(end + 1))?.[1];
    if (type === undefined) return [{ name, bytes }];
    const [title = '', ...body] = source.slice(0, Math.max(0, end)).split('\n');
    const markdown = () => Buffer.from(`# ${title}\n${body.join('\n')}\n`);
    return type === '1' ? [{ name: `${title.replaceAll(/[/\\]/g, '-').trim() || 'unnamed'}.md`, bytes: markdown }] : [];
  });
}
