/** Statements of Quicken (QIF), whose fields begin with a letter that stands directly before their words. Pure. */

const FIELDS = new Map(
  'D Date,T Amount,P Payee,M Memo,L Category,N Number,A Address,S Part,E Part memo,$ Part amount'
    .split(',')
    .map((field) => [field[0]!, `${field.slice(2)}:`]),
);

/** Returns a statement with the names of its fields, and an empty line between entries. Lists of accounts and categories keep letters. */
export function readableQif(text: string): string {
  // Other formats have the same extension.
  if (!/^!(?:Type:|Account|Option)/im.test(text)) return text;
  const parts = text.split(/^(?=!)/m).map((part) => {
    const isStatement = /^!Type:(?:Bank|Cash|CCard|Oth [AL])\b/i.test(part);
    const named = part.replace(/^([A-Z$])(?=\S)/gm, (letter) => `${(isStatement && FIELDS.get(letter)) || letter} `);
    return named.replace(/^\^$/gm, '');
  });
  return parts.join('');
}
