/** Reads the origin of a source group: its ingestion setting, if it is synchronized with an origin. */
import type {
  CrawlSetting,
  DatabaseSourceSetting,
  DriveSourceSetting,
  PageSourceSetting,
  RepoSetting,
  SourceGroup,
} from '../../client/api.ts';
import { PinakesError } from '../../client/client.ts';
import type { Client } from '../shared/client.ts';
import { timeText } from '../shared/words.ts';

type Setting = CrawlSetting | DatabaseSourceSetting | DriveSourceSetting | PageSourceSetting | RepoSetting;

export interface OriginFacts {
  lines: readonly (readonly [string, string])[];
  setting: Setting | null;
}

/** The operations that read a source and its setting. */
const OPERATIONS = {
  web: ['getCrawl', 'getCrawlSetting'],
  drive: ['getDriveSource', 'getDriveSourceSetting'],
  page: ['getPageSource', 'getPageSourceSetting'],
  repo: ['getRepoSource', 'getRepoSetting'],
  database: ['getDatabaseSource', 'getDatabaseSourceSetting'],
  local_file: undefined,
} as const;

const NONE: OriginFacts = { lines: [], setting: null };

/** Returns the facts about the origin. There are none for uploads, for deleted settings, and for keys that may not see the setting. */
export async function originOf(client: Client, { id, source_type: type }: SourceGroup): Promise<OriginFacts> {
  try {
    const setting = await settingOf(client, id, type);
    return setting === undefined ? NONE : { lines: linesOf(setting), setting };
  } catch (error) {
    if (error instanceof PinakesError && (error.status === 403 || error.status === 404)) return NONE;
    throw error;
  }
}

async function settingOf(client: Client, id: string, type: SourceGroup['source_type']): Promise<Setting | undefined> {
  const operations = OPERATIONS[type];
  if (operations === undefined) return undefined;
  const [source, setting] = operations;
  const { ingestion_setting_id: settingId } = await client[source]({ params: { id } });
  return settingId === '' ? undefined : client[setting]({ params: { id: settingId } });
}

function linesOf(setting: Setting): (readonly [string, string])[] {
  return [
    ['address', addressOf(setting)],
    ['schedule', setting.rrule],
    ['next runs', setting.next_run_times.map(timeText).join(', ')],
    ['failing since', setting.failing_since_time === null ? '' : timeText(setting.failing_since_time)],
  ];
}

function addressOf(setting: Setting): string {
  if ('urls' in setting) return setting.urls.join(' ');
  if ('tables' in setting) return setting.tables.map(({ name }) => name).join(' ');
  if ('folder_url' in setting) return setting.folder_url;
  return 'page_id' in setting ? setting.page_id : setting.repository;
}
