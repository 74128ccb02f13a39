/** What needs somebody: facts of the service that a person can mend, each with the screen where it is mended. */
import type { LinkProps } from '@tanstack/react-router';
import { pinakes } from '../../data/api.ts';
import { readChecks, readService } from '../../data/health.ts';
import { readAllKeys } from '../../data/keys.ts';
import { isMissing } from '../../data/source.ts';
import { listSources } from '../../data/sources.ts';
import { ago, ahead, bytes, number, span } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';
import { SOURCE_TYPES } from '../search/filter.ts';
import { endingKeys, fullQuotas, latestOfGroups, namesOf, reasonsOf } from './facts.ts';

export interface Need {
  /** What it is about, unique in the list. */
  id: string;
  tone: 'bad' | 'warn' | 'info';
  title: string;
  text: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

export const REFRESH_MS = 60_000;
/** The keys may have 100 pages, and expire within days: they are read when the screen opens, and each hour. */
const KEYS_REFRESH_MS = 3_600_000;
const ROWS_MAX = 100;
/** Origins and groups that have a line of their own. */
const LINES_MAX = 3;
const QUEUED_SECONDS_MAX = 10 * 60;
const STARTED_SECONDS_MAX = 3_600;

/** Sources that failed, with the reasons; sources that wait although no run is active; that there are no sources. */
async function ofSources(signal: AbortSignal, mayManage: boolean): Promise<Need[]> {
  const { sources, counts } = await listSources({ status: 'failed' }, null, signal);
  const { pending, ready, failed } = counts.status;
  const needs: Need[] = [];
  if (failed > 0) {
    const reasons = reasonsOf(sources.map(({ error }) => sayOfService(error?.title ?? '')));
    const all = reasons.map(([title, n]) => `${number(n)} × ${title}`).join(', ');
    needs.push({
      id: 'failed',
      tone: 'bad',
      title: say('needs.failed', { n: failed }),
      text: failed > sources.length ? say('needs.newest', { n: sources.length, reasons: all }) : all,
      link: { to: '/sources', search: { status: 'failed' } },
    });
  }
  if (pending > 0) {
    const { sources: waiting } = await listSources({ status: 'pending' }, null, signal);
    const groups = waiting.filter(({ stage }) => stage === 'stopped').map((row) => row.source_group_name);
    if (groups.length > 0)
      needs.push({
        id: 'stopped',
        tone: 'warn',
        title: say('needs.stopped'),
        text: say('needs.stoppedText', { names: namesOf(groups) }),
        link: { to: '/sources', search: { status: 'pending' } },
      });
  }
  if (mayManage && pending + ready + failed === 0)
    needs.push({
      id: 'none',
      tone: 'info',
      title: say('sources.none'),
      text: say('sources.noneText'),
      link: { to: '/sources', search: { add: true } },
    });
  return needs;
}

/** Origins whose latest run failed, for example because their credentials were refused. */
async function ofOrigins(signal: AbortSignal, mayManage: boolean): Promise<Need[]> {
  const query = { status: 'failure', order: 'desc', limit: ROWS_MAX } as const;
  // One request for each type: failed uploads must not fill the page.
  const pages = await Promise.all(
    SOURCE_TYPES.filter((type) => type !== 'local_file').map((type) =>
      pinakes.listSourceGroups({ query: { ...query, source_type: type } }, { signal }),
    ),
  );
  const origins = pages
    .flatMap(({ source_groups: groups }) => groups)
    .toSorted((a, b) => b.creation_time - a.creation_time);
  const needs = origins.slice(0, LINES_MAX).map(({ id, name, error }): Need => {
    const title = error && sayOfService(error.title);
    return {
      id,
      tone: 'bad',
      title: say('needs.origin', { name: name || say('sources.withheld') }),
      text: error ? `${title}: ${sayOfService(error.message)}` : say('runs.state.failure'),
      link: mayManage ? { to: '/connectors', search: { id } } : { to: '/runs', search: { group: id } },
    };
  });
  const more = origins.slice(LINES_MAX);
  if (more.length > 0)
    needs.push({
      id: 'origins',
      tone: 'bad',
      title: say('needs.moreOrigins', { n: more.length }),
      text: namesOf(more.map(({ name }) => name)),
      link: mayManage ? { to: '/connectors' } : { to: '/runs', search: { status: 'failure' } },
    });
  return needs;
}

/** Runs that wait for long, a run that takes long, and files that the latest runs left out. */
async function ofRuns(signal: AbortSignal): Promise<Need[]> {
  const [queued, started, newest] = await Promise.all(
    [
      { status: 'queued', order: 'asc', limit: 1 } as const,
      { status: 'started', order: 'asc', limit: 1 } as const,
      { order: 'desc', limit: ROWS_MAX } as const,
    ].map((query) => pinakes.listAllRuns({ query }, { signal })),
  );
  const now = Date.now() / 1000;
  const needs: Need[] = [];
  const waits = queued?.runs.find((run) => now - run.creation_time > QUEUED_SECONDS_MAX);
  if (waits)
    needs.push({
      id: 'queued',
      tone: 'bad',
      title: say('needs.queued', { n: queued!.pagination.total }),
      text: say('needs.queuedText', { time: ago(waits.creation_time) }),
      link: { to: '/runs', search: { status: 'queued' } },
    });
  const takes = started?.runs.find((run) => now - (run.start_time ?? now) > STARTED_SECONDS_MAX);
  if (takes)
    needs.push({
      id: 'started',
      tone: 'warn',
      title: say('needs.started', { time: span(now - takes.start_time!) }),
      text: say('needs.startedText', { done: takes.files_done, n: takes.files_total }),
      link: { to: '/runs/$id', params: { id: takes.id }, search: {} },
    });
  const leftOut = latestOfGroups(newest?.runs ?? []).filter(({ statistics }) => statistics.skipped > 0);
  for (const run of leftOut.slice(0, LINES_MAX)) {
    const params = { id: run.source_group_id };
    const group = await pinakes.getSourceGroup({ params }, { signal }).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    // The group was deleted after its run was listed.
    if (!group) continue;
    needs.push({
      id: run.id,
      tone: 'info',
      title: say('needs.leftOut', { n: run.statistics.skipped }),
      text: say('needs.leftOutText', { name: group.name || say('sources.withheld'), time: ago(run.creation_time) }),
      link: { to: '/runs/$id', params: { id: run.id }, search: { change: 'skipped' } },
    });
  }
  return needs;
}

/** Quotas of the tenant that are nearly used up. */
async function ofQuotas(): Promise<Need[]> {
  const { quotas } = await readService();
  return fullQuotas(quotas).map(({ kind, used, quota }) => {
    const shown = kind === 'bytes' ? bytes : number;
    return {
      id: `quota-${kind}`,
      tone: used >= quota ? 'bad' : 'warn',
      title: say(used >= quota ? 'needs.full' : 'needs.nearlyFull'),
      text: say(`needs.quota.${kind}`, { used: shown(used), quota: shown(quota) }),
      link: { to: '/sources', search: kind === 'bytes' ? { sort: 'size', order: 'desc' } : {} },
    };
  });
}

/** Parts of the service that fail, such as a model or the space of the disk, and vectors that are missing. */
async function ofChecks(): Promise<Need[]> {
  const { checks, chunks_waiting: waiting, chunks_refused: refused } = await readChecks();
  const link = { to: '/health' } as const;
  const failing = checks.filter(({ ok }) => !ok).map(({ name }) => sayOfService(name));
  const needs: Need[] = [];
  if (failing.length > 0)
    needs.push({
      id: 'checks',
      tone: 'bad',
      title: say('needs.checks', { n: failing.length }),
      text: failing.join(', '),
      link,
    });
  const missing = (
    [
      ['health.waiting', waiting],
      ['health.refused', refused],
    ] as const
  ).filter(([, n]) => n > 0);
  if (missing.length > 0 && (await readService()).models.embedding !== null) {
    const text = missing.map(([key, n]) => say(key, { n })).join(' ');
    needs.push({ id: 'vectors', tone: 'info', title: say('needs.vectors'), text, link });
  }
  return needs;
}

/** Keys that expire soon. */
async function ofKeys(signal: AbortSignal): Promise<Need[]> {
  const ending = endingKeys(await readAllKeys(signal), Date.now() / 1000);
  const [first] = ending;
  if (!first) return [];
  const text = namesOf(ending.map(({ name, expires_time: time }) => `${name} (${ahead(time)})`));
  const link = { to: '/keys', search: ending.length === 1 ? { q: first.name } : {} } as const;
  return [{ id: 'keys', tone: 'warn', title: say('needs.keys', { n: ending.length }), text, link }];
}

/** The parts of the list that this key may see, in their order. */
export function partsFor(may: (...scopes: string[]) => boolean, mayCheck: boolean) {
  const reads = may('knowledge:read', 'ingestion:manage');
  const manages = may('ingestion:manage');
  const parts: [id: string, isSeen: boolean, read: (signal: AbortSignal) => Promise<Need[]>, refreshMs?: number][] = [
    ['checks', mayCheck && reads, ofChecks],
    ['origins', reads, (signal) => ofOrigins(signal, manages)],
    ['sources', reads, (signal) => ofSources(signal, manages)],
    ['keys', may('apikeys:issue'), ofKeys, KEYS_REFRESH_MS],
    ['quotas', manages, ofQuotas],
    ['runs', reads, ofRuns],
  ];
  return parts.filter(([, isSeen]) => isSeen).map(([id, , read, refreshMs = REFRESH_MS]) => ({ id, read, refreshMs }));
}
