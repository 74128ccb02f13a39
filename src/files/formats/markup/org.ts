/** Converts Org to Markdown, line by line. */
import type { LinkMarks } from './link-marks.ts';

/** Returns the lines as Markdown, without lines for programs. */
export function orgToMarkdown(source: string, marks: LinkMarks): string {
  let title = '';
  let code = false;
  let drawer = false;
  const lines = source.split('\n').flatMap((line) => {
    const keyword = /^\s*#\+(\w+)(?::|\b)[ \t]*(.*)$/i.exec(line);
    const name = keyword?.[1]?.toLowerCase() ?? '';
    if (/^begin_(src|example)$/.test(name)) {
      code = true;
      return [`\`\`\`${keyword![2]!.split(' ')[0]}`];
    }
    if (/^end_(src|example)$/.test(name)) {
      code = false;
      return ['```'];
    }
    if (code) return [line];
    if (keyword) {
      if (name === 'title') title = keyword[2]!;
      return name === 'caption' ? [orgInline(keyword[2]!, marks)] : [];
    }
    if (/^\s*:(PROPERTIES|LOGBOOK):\s*$/i.test(line)) drawer = true;
    if (drawer) {
      if (/^\s*:END:\s*$/i.test(line)) drawer = false;
      return [];
    }
    if (/^\s*# /.test(line)) return [];
    const heading = /^(\*{1,12}) +(.*?)(?:[ \t]+:[\w@:]+:)?[ \t]*$/.exec(line);
    if (heading)
      return [
        '',
        `${headingMarks(heading[1]!.length)} ${orgInline(heading[2]!.replace(/^(TODO|DONE) /, ''), marks)}`,
        '',
      ];
    if (/^\s*\|[-+]+\|?\s*$/.test(line)) return [line.replaceAll('+', '|').replace(/-+/g, '---')];
    const note = /^\[fn:([\w-]{1,40})\] (.*)$/.exec(line);
    return [note ? `[^${note[1]}]: ${orgInline(note[2]!, marks)}` : orgInline(line, marks)];
  });
  return withTitle(title, lines);
}

function orgInline(line: string, marks: LinkMarks): string {
  const linked = line.replace(/\[\[([^[\]]{1,2000})\]\[([^[\]]{1,2000})\]\]/g, (_link, address: string, text: string) =>
    marks.mark(withoutEmphasis(text), address),
  );
  return withoutEmphasis(linked.replace(/\[\[([^[\]]{1,2000})\]\]/g, '$1').replace(/\[fn:([\w-]{1,40})\]/g, '[^$1]'));
}

function withoutEmphasis(text: string): string {
  return text.replace(/(^|[\s(])[*/_=~]([^\s*/_=~][^*/_=~\n]{0,300}?)[*/_=~](?=[\s).,;:!?]|$)/g, '$1$2');
}

function headingMarks(level: number): string {
  return '#'.repeat(Math.min(level, 6));
}

function withTitle(title: string, lines: readonly string[]): string {
  return title === '' ? lines.join('\n') : `# ${title}\n\n${lines.join('\n')}`;
}
