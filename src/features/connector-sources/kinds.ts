/** The kinds of sources that are synchronized with an origin, and how they differ on the wire. */
import { z } from 'zod';
import type { Origin, OriginKind } from '../../corpus/origin.ts';
import { camelCase } from '../../db/column-names.ts';
import type { RowOf } from '../../http/records/wire-record.ts';
import { text } from '../../util/text-schema.ts';
import type { SecretType } from '../../vault/secret-store.ts';

const ADDRESS_LENGTH_MAX = 2_000;
const REPOSITORY_LENGTH_MAX = 200;
const REFERENCE_LENGTH_MAX = 255;
const PATTERNS_MAX = 100;
const PATTERN_LENGTH_MAX = 500;
const START_URLS_MAX = 100;
const DEPTH_MAX = 20;
const DEPTH_DEFAULT = 3;
const PAGES_MAX = 10_000;
const PAGES_DEFAULT = 500;
const DELAY_MS_MAX = 60_000;
const TABLES_MAX = 100;
const TABLE_NAME_LENGTH_MAX = 200;
const TABLE_COLUMNS_MAX = 500;
const REFERENCE_TYPES = ['default', 'branch', 'tag', 'commit'] as const;

export interface Credential {
  secretType: SecretType;
  /** Name of the request member with a one-time credential. */
  member: string;
  description: string;
  /** False if the origin may be public. */
  required: boolean;
}

export interface SourceKind {
  kind: OriginKind;
  /** Tag of its operations in the OpenAPI description. */
  area: string;
  /** Its name in sentences, such as `List Drive sources`. */
  noun: string;
  /** Its name in identifiers, such as the operation `createDriveSource` and the schema `DriveSource`. */
  name: string;
  path: string;
  settingName: string;
  settingPath: string;
  /** Request members that describe the origin. */
  requestMembers: z.ZodRawShape;
  /** The same members in answers. */
  answerMembers: z.ZodRawShape;
  credential: Credential | null;
  example: Record<string, unknown>;
  /** Returns the origin that validated request members describe. */
  toOrigin(members: Record<string, unknown>): Origin;
  toWire(origin: Origin): Record<string, unknown>;
}

type Stated<Members> = { [Name in keyof Members]-?: NonNullable<Members[Name]> };

/** The kinds whose origins have these members of the wire. */
type FittingKind<Wire> = {
  [Kind in OriginKind]: Stated<Extract<Origin, { kind: Kind }>> extends Stated<RowOf<Wire>> ? Kind : never;
}[OriginKind];

/** Returns the definition with general types. Its parameters check that the members of a kind and its origin fit together. */
function kindOf<Kind extends OriginKind, Request extends z.ZodRawShape, Answer extends z.ZodRawShape>(
  definition: Omit<SourceKind, 'kind' | 'requestMembers' | 'answerMembers' | 'toOrigin' | 'toWire'> & {
    kind: Kind & FittingKind<z.input<z.ZodObject<Request>>> & FittingKind<z.input<z.ZodObject<Answer>>>;
    requestMembers: Request;
    answerMembers: Answer;
  },
): SourceKind {
  const names = Object.keys(definition.requestMembers);
  return {
    ...definition,
    toOrigin(members) {
      const given = names.map((name) => [camelCase(name), members[name] ?? null]);
      return { kind: definition.kind, ...Object.fromEntries(given) } as unknown as Origin;
    },
    toWire: (origin) => Object.fromEntries(names.map((name) => [name, Object(origin)[camelCase(name)] ?? null])),
  };
}

const patterns = z.array(text(1, PATTERN_LENGTH_MAX)).max(PATTERNS_MAX);
const answerPatterns = z.array(z.string());

const drive = kindOf({
  kind: 'drive',
  area: 'Drive sources',
  noun: 'Drive source',
  name: 'DriveSource',
  path: '/drive-sources',
  settingName: 'DriveSourceSetting',
  settingPath: '/drive-source-settings',
  requestMembers: {
    folder_url: text(1, ADDRESS_LENGTH_MAX).describe(
      'Address of the folder in the browser: `https://drive.google.com/drive/folders/…`. Folders inside it are read too.',
    ),
  },
  answerMembers: { folder_url: z.string().describe('Address of the folder.') },
  credential: {
    secretType: 'drive',
    member: 'service_account_key',
    description: 'The JSON key of a service account that may read the folder',
    required: true,
  },
  example: {
    name: 'Handbooks',
    folder_url: 'https://drive.google.com/drive/folders/1AbCdEfGhIjKlMnOpQrStUvWxYz012345',
    secret_id: '01981f7a-4c2e-7b3a-9d54-0f6a2b8c1d3e',
    rrule: 'FREQ=DAILY;BYHOUR=5;BYMINUTE=0',
  },
});

const page = kindOf({
  kind: 'page',
  area: 'Page sources',
  noun: 'page source',
  name: 'PageSource',
  path: '/page-sources',
  settingName: 'PageSourceSetting',
  settingPath: '/page-source-settings',
  requestMembers: {
    page_id: text(1, ADDRESS_LENGTH_MAX).describe(
      'The page or data source of the workspace: its id, or its address in the browser. Pages below it are read too.',
    ),
  },
  answerMembers: { page_id: z.string().describe('The page or data source of the workspace.') },
  credential: {
    secretType: 'page',
    member: 'page_token',
    description: 'The token of an integration that may read the page',
    required: true,
  },
  example: {
    name: 'Wiki',
    page_id: '59833787-2cf9-4fdf-8782-e53db20768a5',
    secret_id: '01981f7a-4c2e-7b3a-9d54-0f6a2b8c1d3e',
    rrule: 'DTSTART;TZID=Europe/Berlin:20260105T060000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH',
  },
});

const repo = kindOf({
  kind: 'repo',
  area: 'Repository sources',
  noun: 'repository source',
  name: 'RepoSource',
  path: '/repo-sources',
  settingName: 'RepoSetting',
  settingPath: '/repo-settings',
  requestMembers: {
    repository: text(1, REPOSITORY_LENGTH_MAX).describe('Name of the repository, as `owner/name`.'),
    path_filters: patterns
      .default([])
      .describe(
        'Globs of the files to read, as in a .gitignore file; a glob with `!` excludes files again. Empty: all files. At most 100.',
      ),
    reference_type: z
      .enum(REFERENCE_TYPES)
      .default('default')
      .describe('Kind of the version to read. `default`: the default branch.'),
    reference_param: text(0, REFERENCE_LENGTH_MAX)
      .default('')
      .describe('Name of the branch or tag, or hash of the commit; empty for `default`.'),
  },
  answerMembers: {
    repository: z.string().describe('Name of the repository, as `owner/name`.'),
    path_filters: answerPatterns.describe('Globs of the files that are read. Empty: all files.'),
    reference_type: z
      .enum(REFERENCE_TYPES)
      .describe('Kind of the version that is read. `default`: the default branch.'),
    reference_param: z.string().describe('Name of the branch or tag, or hash of the commit; empty for `default`.'),
  },
  credential: {
    secretType: 'repo',
    member: 'access_token',
    description: 'An access token that may read the repository',
    required: false,
  },
  example: {
    name: 'Manual',
    repository: 'acme/manual',
    path_filters: ['docs/', '!docs/drafts/'],
    reference_type: 'branch',
    reference_param: 'main',
    rrule: 'FREQ=HOURLY;INTERVAL=6',
  },
});

const web = kindOf({
  kind: 'web',
  area: 'Crawls',
  noun: 'crawl',
  name: 'Crawl',
  path: '/crawls',
  settingName: 'CrawlSetting',
  settingPath: '/crawl-settings',
  requestMembers: {
    urls: z
      .array(text(1, ADDRESS_LENGTH_MAX))
      .min(1)
      .max(START_URLS_MAX)
      .describe('Addresses where the crawl begins: http or https.'),
    max_depth: z
      .int()
      .min(0)
      .max(DEPTH_MAX)
      .default(DEPTH_DEFAULT)
      .describe('How many links away from `urls` a page may be; 0: only the pages of `urls`.'),
    max_pages: z.int().min(1).max(PAGES_MAX).default(PAGES_DEFAULT).describe('Maximum number of pages.'),
    include_paths: patterns
      .default([])
      .describe(
        'Globs as in a .gitignore file: only pages whose path matches one of them. Empty: all pages. At most 100.',
      ),
    exclude_paths: patterns
      .default([])
      .describe('Globs as in a .gitignore file: pages whose path matches one of them are left out. At most 100.'),
    same_host: z.boolean().default(true).describe('Whether to read only pages on the hosts of `urls`.'),
    use_sitemap: z
      .boolean()
      .default(true)
      .describe('Whether to read also the pages that the sitemaps of the hosts name.'),
    delay_ms: z
      .int()
      .min(0)
      .max(DELAY_MS_MAX)
      .optional()
      .describe(
        'Milliseconds between two requests to one host. Absent: the default of this service, and less after pages that did not change. ' +
          'A value below the minimum of the operator is refused. If the `Crawl-delay` of robots.txt is longer, it applies.',
      ),
  },
  answerMembers: {
    urls: z.array(z.string()).describe('Addresses where the crawl begins.'),
    max_depth: z.int().describe('How many links away from `urls` a page may be.'),
    max_pages: z.int().describe('Maximum number of pages.'),
    include_paths: answerPatterns.describe(
      'Only pages whose path matches one of these globs are read. Empty: all pages.',
    ),
    exclude_paths: answerPatterns.describe('Pages whose path matches one of these globs are left out.'),
    same_host: z.boolean().describe('Whether only pages on the hosts of `urls` are read.'),
    use_sitemap: z.boolean().describe('Whether the pages that the sitemaps of the hosts name are read too.'),
    delay_ms: z
      .int()
      .nullable()
      .describe('Milliseconds between two requests to one host; null: the default of this service.'),
  },
  credential: null,
  example: {
    name: 'Help pages',
    urls: ['https://help.example.com/'],
    max_depth: 3,
    max_pages: 500,
    exclude_paths: ['/archive/'],
    rrule: 'FREQ=WEEKLY;BYDAY=SU;BYHOUR=3;BYMINUTE=0',
  },
});

const database = kindOf({
  kind: 'database',
  area: 'Database sources',
  noun: 'database source',
  name: 'DatabaseSource',
  path: '/database-sources',
  settingName: 'DatabaseSourceSetting',
  settingPath: '/database-source-settings',
  requestMembers: {
    tables: z
      .array(
        z.strictObject({
          name: text(3, TABLE_NAME_LENGTH_MAX).describe(
            'Name of a table or view, as `schema.table`; in MySQL and MariaDB, as `database.table`.',
          ),
          columns: z
            .array(text(1, TABLE_NAME_LENGTH_MAX))
            .max(TABLE_COLUMNS_MAX)
            .default([])
            .describe('Names of the columns to read. Empty: all columns.'),
        }),
      )
      .min(1)
      .max(TABLES_MAX)
      .describe('Tables and views to read. Each becomes a source of its own.'),
  },
  answerMembers: {
    tables: z
      .array(
        z.object({
          name: z.string().describe('Name of the table or view.'),
          columns: z.array(z.string()).describe('Names of the columns that are read. Empty: all columns.'),
        }),
      )
      .describe('Tables and views that are read.'),
  },
  credential: {
    secretType: 'database',
    member: 'connection_url',
    description:
      'The connection URL of a PostgreSQL, MySQL or MariaDB server, with user and password: `postgresql://user:password@host/database`',
    required: true,
  },
  example: {
    name: 'Shop',
    tables: [{ name: 'public.orders' }, { name: 'public.customers', columns: ['id', 'city'] }],
    secret_id: '01981f7a-4c2e-7b3a-9d54-0f6a2b8c1d3e',
    rrule: 'FREQ=HOURLY',
  },
});

/** Returns the name of the list in answers: `drive_sources` for `/drive-sources`. */
export function listKey(path: string): string {
  return path.slice(1).replaceAll('-', '_');
}

export const SOURCE_KINDS: readonly SourceKind[] = [drive, page, repo, web, database];
