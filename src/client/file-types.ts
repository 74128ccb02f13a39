/** The types of files by which searches are filtered. */
export const FILE_TYPES = [
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'csv',
  'tsv',
  'txt',
  'md',
  'html',
  'json',
  'jsonl',
  'parquet',
  'sqlite',
  'xml',
  'yaml',
  'rtf',
  'epub',
  'eml',
  'odt',
  'odp',
  'ods',
  'ipynb',
  'code',
  'unknown',
] as const;

export type FileType = (typeof FILE_TYPES)[number];
