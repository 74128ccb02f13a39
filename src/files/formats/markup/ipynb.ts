/** Parses Jupyter notebooks: text cells become Markdown, code cells become code, followed by their printed results. */

import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { isObject, objectsAt, readObject } from '../../../util/is-object.ts';
import { badFile } from '../../failure.ts';
import { originMetadata } from '../../metadata-values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { fenced } from '../text-builder.ts';
import { parseMd } from './md.ts';

/** UTF-16 units of one printed result. */
const OUTPUT_UNITS_MAX = 10_000;

const TERMINAL_COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]{0,20}m`, 'g');

type Json = { [key: string]: unknown };

/** Parses a notebook. @throws FileError when the text is no notebook. */
export async function parseIpynb(source: string, keys: readonly ChunkMetadataKey[]): Promise<ParsedFile> {
  const notebook = readObject(source);
  if (!notebook) throw badFile('parse', 'Invalid notebook', 'The file is not a Jupyter notebook.');
  const about = objectAt(notebook, 'metadata');
  const language =
    textAt(objectAt(about, 'language_info'), 'name') || textAt(objectAt(about, 'kernelspec'), 'language') || 'python';
  const parts = cellsOf(notebook).flatMap((cell, index) => {
    const text = joined(cell['source'] ?? cell['input']);
    switch (cell['cell_type']) {
      case 'code':
        return [fenced(text, language), ...outputsOf(cell)];
      case 'raw':
        // The first cell may be front matter.
        return [index === 0 && text.startsWith('---\n') ? text : fenced(text)];
      default:
        return [text];
    }
  });
  const parsed = await parseMd(parts.filter((part) => part.trim() !== '').join('\n\n'), keys);
  const title = joined(about['title']) || parsed.title;
  const author = objectsAt(about, 'authors')
    .map((one) => joined(one['name']))
    .filter(Boolean)
    .join(', ');
  return {
    ...parsed,
    fileType: 'ipynb',
    ...(title === undefined ? {} : { title }),
    metadata: { ...parsed.metadata, ...originMetadata({ title, author: author || undefined }) },
  };
}

/** Returns the cells of a notebook. Old notebooks have worksheets with cells. */
function cellsOf(notebook: Json): Json[] {
  const sheets = objectsAt(notebook, 'worksheets').flatMap((sheet) => objectsAt(sheet, 'cells'));
  return [...objectsAt(notebook, 'cells'), ...sheets];
}

function outputsOf(cell: Json): string[] {
  return objectsAt(cell, 'outputs').map((output) => {
    const data = objectAt(output, 'data');
    const markdown = joined(data['text/markdown']).trim();
    if (markdown !== '') return markdown.slice(0, OUTPUT_UNITS_MAX).toWellFormed();
    const text = joined(output['text'] ?? data['text/plain'] ?? data['text/latex'] ?? output['traceback']);
    const plain = text.replace(TERMINAL_COLOURS, '').slice(0, OUTPUT_UNITS_MAX);
    return fenced(plain.toWellFormed());
  });
}

function joined(value: unknown): string {
  if (Array.isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return typeof value === 'string' ? value : '';
}

function objectAt(value: Json, key: string): Json {
  const found = value[key];
  return isObject(found) ? found : {};
}

function textAt(value: Json, key: string): string {
  const found = value[key];
  return typeof found === 'string' && /^[\w+#-]{1,30}$/.test(found) ? found : '';
}
