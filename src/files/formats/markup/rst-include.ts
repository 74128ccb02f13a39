/** Where reStructuredText and Sphinx look for an included file, and which part of the file they take. */
import { folderOf } from './included-files.ts';

/**
 * Returns the paths at which an included file may be: relative to the including file, or to the outermost one. The root of
 * `/name` is the folder of the project, which is one of the folders around the file.
 */
export function rstPaths(name: string, from: string, top: string): string[] {
  if (!name.startsWith('/')) return [...new Set([folderOf(from) + name, folderOf(top) + name])];
  const paths: string[] = [];
  for (let folder = folderOf(top); ; folder = folderOf(folder.slice(0, -1))) {
    paths.push(folder + name.slice(1));
    if (folder === '') return paths;
  }
}

/** Returns the options at the start of a directive's body. */
export function optionsOf(body: readonly string[]): Map<string, string> {
  const options = new Map<string, string>();
  for (const line of body) {
    const option = /^:([\w-]{1,60}):(?:[ \t]+(.*))?$/.exec(line);
    if (!option) break;
    options.set(option[1]!, option[2] ?? '');
  }
  return options;
}

/** Returns the lines that the options select, as `:lines:`, `:start-after:` and `:pyobject:` do. */
export function selectedLines(text: string, options: ReadonlyMap<string, string>): string[] {
  let lines = text.split('\n');
  const object = options.get('pyobject');
  if (object !== undefined) lines = pythonObject(lines, object);
  const ranges = options.get('lines');
  if (ranges !== undefined) {
    const count = lines.length;
    lines = ranges.split(',').flatMap((range) => {
      const [first = '', last] = range.trim().split('-');
      return lines.slice(Number(first || 1) - 1, last === undefined ? Number(first) : Number(last || count));
    });
  }
  const first = options.get('start-line');
  const last = options.get('end-line');
  if (first !== undefined || last !== undefined)
    lines = lines.slice(Number(first ?? 0), last === undefined ? undefined : Number(last));
  lines = lines.slice(lineWith(lines, options.get('start-at')) ?? 0);
  lines = lines.slice((lineWith(lines, options.get('start-after')) ?? -1) + 1);
  lines = lines.slice(0, lineWith(lines, options.get('end-before')));
  const endAt = lineWith(lines, options.get('end-at'));
  return endAt === undefined ? lines : lines.slice(0, endAt + 1);
}

function lineWith(lines: readonly string[], words: string | undefined): number | undefined {
  const index = words === undefined || words === '' ? -1 : lines.findIndex((line) => line.includes(words));
  return index === -1 ? undefined : index;
}

/** Returns the lines of a function or class; `Outer.inner` names a member. Returns all lines if the object is not found. */
function pythonObject(lines: readonly string[], name: string): string[] {
  let part = [...lines];
  for (const step of name.split('.')) {
    const start = part.findIndex((line) => /^\s*(?:async +)?(?:def|class) +(\w+)/.exec(line)?.[1] === step);
    if (start === -1) return [...lines];
    const indent = part[start]!.search(/\S/);
    const length = part.slice(start + 1).findIndex((line) => line.trim() !== '' && line.search(/\S/) <= indent);
    part = part.slice(start, length === -1 ? undefined : start + 1 + length);
  }
  return part;
}
