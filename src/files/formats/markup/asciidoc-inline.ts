/** Converts inline markup and macros of AsciiDoc to text. */
import { ownValue } from '../../../util/own-value.ts';
import type { LinkMarks } from './link-marks.ts';

/** Attributes that every processor predefines. */
const CHARACTERS: Record<string, string> = {
  nbsp: ' ',
  sp: ' ',
  empty: '',
  blank: '',
  zwsp: '',
  wj: '',
  amp: '&',
  lt: '<',
  gt: '>',
  plus: '+',
  asterisk: '*',
  caret: '^',
  tilde: '~',
  backtick: '`',
  startsb: '[',
  endsb: ']',
  vbar: '|',
  apos: "'",
  quot: '"',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  deg: '°',
  brvbar: '¦',
  backslash: '\\',
  'two-colons': '::',
  'two-semicolons': ';;',
  cpp: 'C++',
  pp: '++',
};

/** Attributes that a document defines. */
export interface Attributes {
  readonly values: Map<string, string>;
  /** UTF-16 units that attributes may still add to the document. */
  unitsRemaining: number;
}

/** Replaces `{name}` by the attribute's value; unknown names stay. */
export function withAttributes(line: string, attributes: Attributes): string {
  if (!line.includes('{')) return line;
  return line.replace(/(\\?)\{([\w][\w-]{0,60})\}/g, (whole, escaped: string, name: string) => {
    if (escaped !== '') return whole.slice(1);
    const value = attributes.values.get(name.toLowerCase());
    if (value === undefined) return ownValue(CHARACTERS, name.toLowerCase()) ?? whole;
    if (value.length > attributes.unitsRemaining) return whole;
    attributes.unitsRemaining -= value.length;
    return value;
  });
}

export function asciidocInline(source: string, marks: LinkMarks): string {
  return source
    .replace(
      /(?<![\w:/])(https?:\/\/|mailto:|link:|xref:)([^\s[\]]{1,2000})\[([^[\]]{0,500})\]/g,
      (_link, scheme: string, rest: string, label: string) => {
        const text = label.replace(/\^$|,\s*(?:window|role|opts|subject)=.*$/g, '').replace(/^"(.*)"$/, '$1');
        const address = scheme.startsWith('http') ? scheme + rest : rest;
        return marks.mark(text === '' ? address : text, scheme === 'mailto:' ? `mailto:${rest}` : address);
      },
    )
    .replace(/<<[^<>,]{1,200},([^<>]{1,500})>>/g, '$1')
    .replace(/<<#?([^<>,]{1,200})>>/g, (_link, id: string) => id.replace(/^_+/, '').replaceAll('_', ' '))
    .replace(/(?:kbd|btn):\[([^[\]]{1,100})\]/g, '$1')
    .replace(/menu:([^[\]\s][^[\]]{0,100})\[([^[\]]{0,200})\]/g, (_menu, name: string, item: string) =>
      item === '' ? name : `${name} > ${item}`,
    )
    .replace(/image::?[^\s[\]]{1,500}\[([^[\]]{0,500})\]/g, (_image, alt: string) =>
      alt.split(',')[0]!.replace(/^"(.*)"$/, '$1'),
    )
    .replace(/(?:stem|latexmath|asciimath|pass|icon|indexterm2|footnoteref):[\w,]{0,20}\[([^[\]]{0,500})\]/g, '$1')
    .replace(/(?:indexterm|anchor|counter|counter2):[^\s[\]]{0,100}\[[^[\]]{0,500}\]/g, '')
    .replace(/\[\[[\w:.-]{1,100}(?:,[^[\]]{0,200})?\]\]|\(\(\([^()]{1,200}\)\)\)/g, '')
    .replace(/\(\(([^()]{1,200})\)\)/g, '$1')
    .replace(/\[[.#%][\w.#% -]{1,100}\](?=[#*_`])/g, '')
    .replace(/\+\+\+?([^+]{1,500})\+\+\+?/g, '$1')
    .replace(/`\+([^`+]{1,500})\+`/g, '`$1`')
    .replace(/(?<![\w+])\+([^\s+](?:[^+\n]{0,300}[^\s+])?)\+(?![\w+])/g, '`$1`')
    .replace(/"`([^`]{1,500})`"/g, '“$1”')
    .replace(/'`([^`]{1,500})`'/g, '‘$1’')
    .replace(/(?<![\w#])#([^\s#](?:[^#\n]{0,300}[^\s#])?)#(?![\w#])/g, '$1')
    .replace(/(?<![\w*\\])\*(?![\s*])([^*\n]{1,500}?)(?<!\s)\*(?![\w*])/g, '**$1**')
    .replace(/\\(?=[*_`#{[<:+])/g, '')
    .replace(/\(C\)/g, '©')
    .replace(/(?<=\w)--(?=\w)/g, '—');
}
