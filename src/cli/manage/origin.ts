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
  const of = async (source: Promise<{ ingestion_setting_id: string }>) => {
    const { ingestion_setting_id: settingId } = await source;
    return settingId === '' ? undefined : { params: { id: settingId } };
  };
  const params = { id };
  if (type === 'web') {
    const request = await of(client.getCrawl({ params }));
    return request && client.getCrawlSetting(request);
  }
  if (type === 'drive') {
    const request = await of(client.getDriveSource({ params }));
    return request && client.getDriveSourceSetting(request);
  }
  if (type === 'page') {
    const request = await of(client.getPageSource({ params }));
    return request && client.getPageSourceSetting(request);
  }
  if (type === 'repo') {
    const request = await of(client.getRepoSource({ params }));
    return request && client.getRepoSetting(request);
  }
  if (type === 'database') {
    const request = await of(client.getDatabaseSource({ params }));
    return request && client.getDatabaseSourceSetting(request);
  }
  return undefined;
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
