/** Converts inline markup of reStructuredText, with the roles of Sphinx, to text. */
import type { LinkMarks } from './link-marks.ts';

export type Inline = (text: string) => string;

/**
 * Returns a function that converts inline markup. It knows the names in the source: addresses of `.. _name: address`, texts of
 * `.. |name| replace:: text`.
 */
export function rstInline(source: string, marks: LinkMarks): Inline {
  const targets = new Map(
    Array.from(source.matchAll(/^[ \t]*\.\. _`?([^:`\n]{1,200})`?: +(\S{1,2000})[ \t]*$/gm), ([, name, address]) => [
      name!.toLowerCase(),
      address!,
    ]),
  );
  const texts = new Map(
    Array.from(
      source.matchAll(/^[ \t]*\.\. \|([^|\n]{1,100})\| +(?:replace|unicode):: +(.{1,1000})$/gm),
      ([, name, text]) => [name!, text!],
    ),
  );
  const withTarget = (whole: string, name: string) => {
    const address = targets.get(name.toLowerCase());
    return address === undefined ? whole : marks.mark(name, address);
  };
  return (text) =>
    text
      .replace(/:[\w:+-]{1,40}:`([^`]{1,500})`/g, (_role, inner: string) => roleText(inner))
      .replace(/`([^`<]{1,500}?)\s*<([^<>]{1,2000})>`__?/g, (_link, label: string, address: string) =>
        marks.mark(label, address.replace(/\s+/g, '')),
      )
      .replace(/ ?\[#?([\w-]{1,40})\]_(?!\w)/g, '[^$1]')
      .replace(/``([^`]{1,500})``/g, '`$1`')
      .replace(/(?<!`)`([^`]{1,500})`__?/g, (_link, label: string) => withTarget(label, label))
      .replace(/(?<![\w`])([A-Za-z](?:[\w.-]{0,100}[A-Za-z\d])?)_(?!\w)/g, withTarget)
      .replace(/\|([^|\s](?:[^|\n]{0,98}[^|\s])?)\|_{0,2}/g, (whole, name: string) => texts.get(name) ?? whole)
      .replace(/\\([^\w\s])/g, '$1')
      .replace(/\\ /g, '');
}

/** Returns the text of a role: of `text <target>` the text, of `~module.name` the last part. */
function roleText(inner: string): string {
  const label = /^([^<]{1,500}?)\s+<[^<>]{1,500}>$/.exec(inner)?.[1];
  if (label !== undefined) return label;
  if (inner.startsWith('~')) return inner.slice(inner.lastIndexOf('.') + 1).replace(/^~/, '');
  return inner.replace(/^!/, '');
}
