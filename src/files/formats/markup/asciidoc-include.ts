/** Where AsciiDoc looks for an included file, and which part of the file it takes. */
import { folderOf } from './included-files.ts';

/** Returns the path of an included file: relative to the including file, or by the resource name of Antora. */
export function asciidocPaths(name: string, from: string, top: string): string[] {
  if (name.startsWith('{docdir}/')) return [folderOf(top) + name.slice('{docdir}/'.length)];
  const resource = /^(partial|example|page)\$(.+)$/.exec(name);
  if (!resource) return name.startsWith('/') ? [] : [folderOf(from) + name];
  const module = /^(?:.*\/)?modules\/[^/]+\//.exec(from)?.[0];
  return module === undefined ? [] : [`${module}${resource[1]}s/${resource[2]}`];
}

const TAG = /\b(tag|end)::([^\s[\]]{1,200})\[\](?=\s|$)/;

/** Returns the lines that the attributes of an include select. Lines that mark a region are left out. */
export function selectedLines(text: string, attributes: string): string[] {
  let lines = text.split('\n').map((line) => line.trimEnd());
  const ranges = attributeOf(attributes, 'lines');
  if (ranges !== undefined) {
    const count = lines.length;
    lines = ranges.split(/[;,]/).flatMap((range) => {
      const [first, last] = range.trim().split('..');
      const end = last === undefined ? Number(first) : Number(last === '' || last === '-1' ? count : last);
      return lines.slice(Number(first) - 1, end);
    });
  }
  return taggedLines(lines, (attributeOf(attributes, 'tags?') ?? '').split(/[;,]/).filter(Boolean));
}

/** Returns the lines inside the regions of the tags; `!tag` leaves a region out, `*` is every region, `**` every line. */
function taggedLines(lines: readonly string[], tags: readonly string[]): string[] {
  const wanted = new Set(tags.filter((tag) => !tag.startsWith('!')));
  const unwanted = new Set(tags.flatMap((tag) => (tag.startsWith('!') ? [tag.slice(1)] : [])));
  const takesAll = wanted.size === 0 || wanted.has('**');
  const open: string[] = [];
  return lines.filter((line) => {
    const mark = TAG.exec(line);
    if (mark?.[1] === 'tag') open.push(mark[2]!);
    else if (mark && open.includes(mark[2]!)) open.splice(open.lastIndexOf(mark[2]!), 1);
    if (mark || open.some((tag) => unwanted.has(tag))) return false;
    return takesAll || (wanted.has('*') && open.length > 0) || open.some((tag) => wanted.has(tag));
  });
}

/** Returns the value of an attribute in the brackets of an include. */
export function attributeOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|,)\\s*${name}\\s*=\\s*(?:"([^"]{0,300})"|([^,]{0,300}))`).exec(attributes);
  return (found?.[1] ?? found?.[2])?.trim();
}
