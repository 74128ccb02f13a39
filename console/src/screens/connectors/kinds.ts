/**
 * The kinds of origins, as data: the wizard, the list and the details are drawn from it. A new kind is one more entry, with its words in
 * the catalogue.
 */
import type { OperationId } from '../../../../src/client/api.ts';
import { titleInAddress } from '../../../../src/client/page-title.ts';
import type { IconName } from '../../parts/icon-paths.ts';
import type { Key } from '../../words/words.ts';

export type FieldValue = string | boolean;
export type FieldValues = Readonly<Record<string, FieldValue>>;

interface FieldBase {
  /** The member of the API. */
  name: string;
  label: Key;
  hint?: Key;
  /** Shown only on request. */
  advanced?: true;
}
export type Field = FieldBase &
  (
    | { type: 'text'; required?: true; placeholder?: string }
    /** One entry a line. */
    | { type: 'lines'; required?: true; placeholder?: string }
    /** One table a line, with its columns behind a colon if not all are read. */
    | { type: 'tables'; required?: true; placeholder?: string }
    | { type: 'number'; initial: number; min: number; max: number }
    | { type: 'choice'; initial: string; choices: readonly (readonly [value: string, text: Key])[] }
    | { type: 'flag'; initial: boolean }
  );

export interface ConnectorKind {
  kind: string;
  name: Key;
  text: Key;
  icon: IconName;
  /** What the credential is, and the type of the stored secret; null: no credential. */
  secret: { type: string; required: boolean; hint: Key } | null;
  fields: readonly Field[];
  operations: {
    list: OperationId;
    settings: OperationId;
    create: OperationId;
    change: OperationId;
    remove: OperationId;
  };
  /** Members of the answers that have the sources and the settings. */
  listKeys: readonly [sources: string, settings: string];
}

export const KINDS: readonly ConnectorKind[] = [
  {
    kind: 'web',
    name: 'connectors.web',
    text: 'connectors.webText',
    icon: 'globe',
    secret: null,
    fields: [
      {
        name: 'urls',
        type: 'lines',
        label: 'connectors.urls',
        hint: 'connectors.urlsHint',
        required: true,
      },
      {
        name: 'max_depth',
        type: 'number',
        label: 'connectors.depth',
        hint: 'connectors.depthHint',
        initial: 3,
        min: 0,
        max: 20,
      },
      { name: 'max_pages', type: 'number', label: 'connectors.pages', initial: 500, min: 1, max: 10_000 },
      {
        name: 'include_paths',
        type: 'lines',
        label: 'connectors.include',
        hint: 'connectors.globsHint',
        placeholder: '/guide/',
        advanced: true,
      },
      { name: 'exclude_paths', type: 'lines', label: 'connectors.exclude', placeholder: '/archive/', advanced: true },
      { name: 'same_host', type: 'flag', label: 'connectors.sameHost', initial: true, advanced: true },
      { name: 'use_sitemap', type: 'flag', label: 'connectors.sitemap', initial: true, advanced: true },
    ],
    operations: {
      list: 'listCrawls',
      settings: 'listCrawlSettings',
      create: 'createCrawl',
      change: 'updateCrawlSetting',
      remove: 'deleteCrawl',
    },
    listKeys: ['crawls', 'crawl_settings'],
  },
  {
    kind: 'drive',
    name: 'connectors.drive',
    text: 'connectors.driveText',
    icon: 'folder-open',
    secret: { type: 'drive', required: true, hint: 'connectors.driveSecret' },
    fields: [
      {
        name: 'folder_url',
        type: 'text',
        label: 'connectors.folder',
        hint: 'connectors.folderHint',
        required: true,
        placeholder: 'drive.google.com/drive/folders/…',
      },
    ],
    operations: {
      list: 'listDriveSources',
      settings: 'listDriveSourceSettings',
      create: 'createDriveSource',
      change: 'updateDriveSourceSetting',
      remove: 'deleteDriveSource',
    },
    listKeys: ['drive_sources', 'drive_source_settings'],
  },
  {
    kind: 'page',
    name: 'connectors.page',
    text: 'connectors.pageText',
    icon: 'book-open',
    secret: { type: 'page', required: true, hint: 'connectors.pageSecret' },
    fields: [
      { name: 'page_id', type: 'text', label: 'connectors.pageId', hint: 'connectors.pageIdHint', required: true },
    ],
    operations: {
      list: 'listPageSources',
      settings: 'listPageSourceSettings',
      create: 'createPageSource',
      change: 'updatePageSourceSetting',
      remove: 'deletePageSource',
    },
    listKeys: ['page_sources', 'page_source_settings'],
  },
  {
    kind: 'repo',
    name: 'connectors.repo',
    text: 'connectors.repoText',
    icon: 'git-branch',
    secret: { type: 'repo', required: false, hint: 'connectors.repoSecret' },
    fields: [
      {
        name: 'repository',
        type: 'text',
        label: 'connectors.repository',
        hint: 'connectors.repositoryHint',
        required: true,
        placeholder: 'acme/manual',
      },
      {
        name: 'reference_type',
        type: 'choice',
        label: 'connectors.reference',
        initial: 'default',
        choices: [
          ['default', 'connectors.reference.default'],
          ['branch', 'connectors.reference.branch'],
          ['tag', 'connectors.reference.tag'],
          ['commit', 'connectors.reference.commit'],
        ],
      },
      {
        name: 'reference_param',
        type: 'text',
        label: 'connectors.referenceName',
        hint: 'connectors.referenceNameHint',
      },
      {
        name: 'path_filters',
        type: 'lines',
        label: 'connectors.paths',
        hint: 'connectors.globsHint',
        placeholder: 'docs/\n!docs/drafts/',
        advanced: true,
      },
    ],
    operations: {
      list: 'listRepoSources',
      settings: 'listRepoSettings',
      create: 'createRepoSource',
      change: 'updateRepoSetting',
      remove: 'deleteRepoSource',
    },
    listKeys: ['repo_sources', 'repo_settings'],
  },
  {
    kind: 'database',
    name: 'connectors.database',
    text: 'connectors.databaseText',
    icon: 'hard-drive',
    secret: { type: 'database', required: true, hint: 'connectors.databaseSecret' },
    fields: [
      {
        name: 'tables',
        type: 'tables',
        label: 'connectors.tables',
        hint: 'connectors.tablesHint',
        required: true,
        placeholder: 'public.orders\npublic.customers: id, city',
      },
    ],
    operations: {
      list: 'listDatabaseSources',
      settings: 'listDatabaseSourceSettings',
      create: 'createDatabaseSource',
      change: 'updateDatabaseSourceSetting',
      remove: 'deleteDatabaseSource',
    },
    listKeys: ['database_sources', 'database_source_settings'],
  },
];

/** Returns the values with which a form begins. */
export function initialValues({ fields }: ConnectorKind): FieldValues {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      field.type === 'flag' ? field.initial : 'initial' in field ? String(field.initial) : '',
    ]),
  );
}

/** Returns the members of the origin as the API takes them. Empty fields are left out. */
export function originOf({ fields }: ConnectorKind, values: FieldValues): Record<string, unknown> {
  const members = fields.flatMap((field): [string, unknown][] => {
    const value = values[field.name] ?? '';
    if (typeof value === 'boolean') return [[field.name, value]];
    if (field.type === 'number') return [[field.name, Number(value)]];
    if (field.type === 'lines' || field.type === 'tables') {
      const lines = value.split('\n').flatMap((line) => line.trim() || []);
      return lines.length > 0 ? [[field.name, field.type === 'lines' ? lines : lines.map(readTable)]] : [];
    }
    return value.trim() === '' ? [] : [[field.name, value.trim()]];
  });
  return Object.fromEntries(members);
}

function readTable(line: string): Table {
  const [name = '', columns = ''] = line.split(/:(.*)/s);
  return { name: name.trim(), columns: columns.split(',').flatMap((column) => column.trim() || []) };
}

interface Table {
  name: string;
  columns: string[];
}

/** Returns a value of an origin as lines of text. */
export function linesOf(field: Field, value: unknown): string[] {
  if (!Array.isArray(value)) return value === null || value === undefined ? [] : [String(value)];
  if (field.type !== 'tables') return value.map(String);
  return (value as Table[]).map(({ name, columns }) => (columns.length > 0 ? `${name}: ${columns.join(', ')}` : name));
}

/** Returns the names of fields that miss a value or have one that cannot work. */
export function missingFields({ fields }: ConnectorKind, values: FieldValues): string[] {
  return fields.flatMap((field) => {
    const value = String(values[field.name] ?? '').trim();
    if ('required' in field && value === '') return [field.name];
    if (field.type !== 'number') return [];
    const number = Number(value);
    return Number.isInteger(number) && value !== '' && number >= field.min && number <= field.max ? [] : [field.name];
  });
}

/** Returns a name for the source, from the value that says where it is. */
export function nameOfOrigin(kind: ConnectorKind, values: FieldValues): string {
  const [first] = kind.fields;
  const [value = ''] = String(values[first?.name ?? ''] ?? '')
    .trim()
    .split('\n');
  const title = kind.kind === 'page' ? titleInAddress(value) : undefined;
  if (kind.kind !== 'web') return (title ?? value).slice(0, 200);
  return /^https?:\/\/([^/?#]+)/.exec(value)?.[1] ?? value.slice(0, 200);
}
