/**
 * Finds the definitions of code without a grammar by its lines: a line that begins as a definition of its language opens one, and the
 * first line that is indented no deeper ends it.
 */
import type { Block } from '../../parsed.ts';

export interface Outline {
  /**
   * Matches a line that opens a definition, without its indentation. The group `name` is the last part of its heading path. The group
   * `container` matches the keyword of a definition that has others as members.
   */
  definition: RegExp;
  /** Matches a line that opens a member with a name and without a block of its own. */
  member?: RegExp;
  /** True if a definition ends only where the next one begins: the statements that follow a table in SQL belong to it. */
  runsOn?: true;
}

/** Longer lines define nothing: they are data. */
const LINE_UNITS_MAX = 1_000;
const NESTING_MAX = 8;
const NAME_UNITS_MAX = 100;
/** Comments, annotations, and lines within comments: above a definition they belong to it. */
const LEAD = /^(?:\/\/|\/?\*|#(?!if|el|endif|include)|--|;;|%|@)/;
/** A line that ends a definition which is not indented deeper. Others close it or go on: `}`, `end`, `) : Base {`, `{`. */
const STARTS_ANEW = /^(?!end\b)[\p{L}_@"'$~<]/u;

interface Open {
  indent: number;
  name: string;
  isContainer: boolean;
}

/** Returns the definitions as blocks with their names as heading path; undefined if there are none. */
export function outlineBlocks(text: string, { definition, member, runsOn }: Outline): Block[] | undefined {
  const blocks: Block[] = [];
  let open: Open[] = [];
  let names: string[] = [];
  let start = 0;
  let lead: number | undefined;
  let isInText = false;
  /** Writes the text from the last block up to `end` as a block. */
  const cut = (end: number): void => {
    const body = text.slice(start, end);
    const first = body.search(/\S/);
    if (first !== -1) {
      const from = start + body.lastIndexOf('\n', first) + 1;
      const headingPath = open.map(({ name }) => name);
      const to = start + body.trimEnd().length;
      blocks.push({ kind: 'code', start: from, end: to, headingPath, ...(names.length > 0 && { names }) });
    }
    names = [];
    start = end;
  };
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at) + 1;
    const line = text.slice(at, Math.min(end, at + LINE_UNITS_MAX));
    const wasInText = isInText;
    if (line.split('"""').length % 2 === 0) isInText = !isInText;
    if (wasInText) {
      at = end;
      continue;
    }
    const indent = line.search(/\S/);
    const words = line.trim();
    const match = definition.exec(words);
    const name = nameIn(match);
    const isLead = LEAD.test(words) && name === undefined && nameIn(member?.exec(words)) === undefined;
    const isOver = !runsOn && !isLead && indent <= (open.at(-1)?.indent ?? -1) && STARTS_ANEW.test(words);
    if (name !== undefined || isOver) {
      cut(lead ?? at);
      open = open.filter((one) => one.indent < indent).slice(0, NESTING_MAX);
    }
    if (name !== undefined) open.push({ indent, name, isContainer: match?.groups?.['container'] !== undefined });
    const own = name ?? (open.at(-1)?.isContainer === false ? undefined : nameIn(member?.exec(words)));
    if (own !== undefined) names.push(own);
    if (isLead) lead ??= at;
    else lead = undefined;
    at = end;
  }
  cut(text.length);
  return blocks.some(({ headingPath }) => headingPath!.length > 0) ? blocks : undefined;
}

/** Returns the name without quotes, and without the schema of a table. */
function nameIn(match: RegExpExecArray | null | undefined): string | undefined {
  const name = match?.groups?.['name']?.replace(/["'`[\]]/g, '').trim();
  return name ? name.slice(0, NAME_UNITS_MAX).toWellFormed() : undefined;
}
