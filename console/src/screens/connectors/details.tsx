import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { inWords } from '../../data/api.ts';
import { CONNECTORS, type ConnectorRow, changeConnector, deleteConnector } from '../../data/connectors.ts';
import { listRuns, startRun } from '../../data/runs/runs.ts';
import { LATEST_RUNS, RUNS } from '../../data/runs/use-run-events.ts';
import { Button } from '../../parts/button.tsx';
import { DeleteDialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/layout.tsx';
import { Facts, PanelPart, SidePanel } from '../../parts/side-panel.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { ago, number } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';
import { RunState } from '../runs/run-state.tsx';
import { isBusy } from './connector-state.tsx';
import { linesOf } from './kinds.ts';
import { isUsable, NextTimes, ScheduleFields, useSchedule } from './schedule-fields.tsx';
import { dayAndTime, ruleInWords } from './schedule-words.ts';

const RUNS_SHOWN = 5;

/** What a connector reads and when, its latest runs, and what can be done with it. */
export function Details({ row, close }: { row: ConnectorRow; close(): void }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: [CONNECTORS] }),
      queries.invalidateQueries({ queryKey: [RUNS] }),
    ]);
  const run = useMutation({ mutationFn: () => startRun(row.id), onSettled: refresh });
  return (
    <SidePanel title={<bdi>{row.name}</bdi>} close={close}>
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-4 py-3">
        <Button look="primary" icon="rotate-ccw" busy={isBusy(row) || run.isPending} onClick={() => run.mutate()}>
          {say('connectors.runNow')}
        </Button>
        <Link
          to="/sources"
          search={{ group: row.id }}
          className="ms-1 text-accent-ink underline-offset-2 hover:underline"
        >
          {say('connectors.showSources')}
        </Link>
        <span className="ms-auto">
          <Button look="ghost" icon="trash-2" aria-label={say('action.delete')} onClick={() => setAsking(true)} />
        </span>
      </div>
      {run.isError && (
        <div className="px-4 pt-3">
          <Problem text={inWords(run.error)} />
        </div>
      )}
      {row.error && (
        <div className="px-4 pt-3">
          <Problem text={`${sayOfService(row.error.title)}. ${row.error.message}`} />
        </div>
      )}
      <Schedule row={row} refresh={refresh} />
      <PanelPart title={say('connectors.origin')}>
        <Facts rows={originRows(row)} />
      </PanelPart>
      {row.metadata.records.length > 0 && (
        <PanelPart title={say('connectors.metadata')}>
          <Facts rows={row.metadata.records.map(({ key, val }) => [key, val ?? ''] as const)} />
        </PanelPart>
      )}
      <LatestRuns groupId={row.id} />
      {asking && (
        <DeleteDialog
          title={say('connectors.deleteTitle', { name: row.name })}
          text={say('connectors.deleteText')}
          remove={() => deleteConnector(row)}
          keys={[[CONNECTORS], [RUNS]]}
          close={() => setAsking(false)}
        />
      )}
    </SidePanel>
  );
}

function originRows({ kind, origin }: ConnectorRow): [string, string][] {
  return kind.fields.flatMap((field): [string, string][] => {
    const value = origin[field.name];
    if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0))
      return [];
    if (typeof value === 'boolean') return [[say(field.label), say(value ? 'connectors.yes' : 'connectors.no')]];
    if (field.type === 'choice') {
      const choice = field.choices.find(([one]) => one === value);
      return [[say(field.label), choice ? say(choice[1]) : String(value)]];
    }
    return [[say(field.label), typeof value === 'number' ? number(value) : linesOf(field, value).join('\n')]];
  });
}

/** The schedule in words with its next times, and its form. A pause removes the schedule. */
function Schedule({ row, refresh }: { row: ConnectorRow; refresh(): Promise<unknown> }) {
  const rule = row.setting?.rrule ?? '';
  const [editing, setEditing] = useKept(`schedule.${row.id}.editing`, false);
  const schedule = useSchedule(rule, `schedule.${row.id}`);
  const save = useMutation({
    mutationFn: (next: string) => changeConnector(row, { name: row.name, rrule: next }),
    onSuccess: async () => {
      setEditing(false);
      await refresh();
    },
  });
  const problem = save.isError && (
    <div className="mt-3">
      <Problem text={inWords(save.error)} />
    </div>
  );
  if (row.setting === null)
    return (
      <PanelPart title={say('connectors.schedule')}>
        <p className="text-ink-2">{say('connectors.noSetting')}</p>
      </PanelPart>
    );
  if (editing)
    return (
      <PanelPart title={say('connectors.schedule')}>
        <ScheduleFields schedule={schedule} />
        {problem}
        <div className="mt-3 flex justify-end gap-2">
          <Button onClick={() => setEditing(false)}>{say('action.cancel')}</Button>
          <Button
            look="primary"
            busy={save.isPending}
            disabled={!isUsable(schedule)}
            onClick={() => save.mutate(schedule.rule)}
          >
            {say('connectors.saveSchedule')}
          </Button>
        </div>
      </PanelPart>
    );
  return (
    <PanelPart title={say('connectors.schedule')}>
      <p>{ruleInWords(rule)}</p>
      <NextTimes times={row.setting.next_run_times} />
      {rule !== '' && row.setting.failing_since_time !== null && (
        <p className="mt-2 text-ink-2">
          {say('connectors.failingSince', { time: dayAndTime(row.setting.failing_since_time) })}
        </p>
      )}
      {problem}
      <div className="mt-3 flex gap-2">
        <Button size="small" icon="clock" onClick={() => setEditing(true)}>
          {say(rule === '' ? 'connectors.setSchedule' : 'connectors.changeSchedule')}
        </Button>
        {rule !== '' && (
          <Button size="small" icon="circle-stop" busy={save.isPending} onClick={() => save.mutate('')}>
            {say('connectors.pause')}
          </Button>
        )}
      </div>
    </PanelPart>
  );
}

function LatestRuns({ groupId }: { groupId: string }) {
  const query = useQuery({
    queryKey: [LATEST_RUNS, groupId],
    queryFn: () => listRuns({ group: groupId }, undefined, undefined),
  });
  const runs = query.data?.runs.slice(0, RUNS_SHOWN) ?? [];
  return (
    <PanelPart title={say('connectors.latestRuns')}>
      <ul className="flex flex-col gap-1.5">
        {runs.map((run) => (
          <li key={run.id} className="flex items-center gap-3">
            <RunState run={run} />
            <Link
              to="/runs/$id"
              params={{ id: run.id }}
              search={{}}
              className="ms-auto text-accent-ink underline-offset-2 hover:underline"
            >
              {ago(run.creation_time)}
            </Link>
          </li>
        ))}
      </ul>
      <p className="mt-2">
        <Link
          to="/runs"
          search={{ group: groupId }}
          className="text-xs text-accent-ink underline-offset-2 hover:underline"
        >
          {say('connectors.allRuns')}
        </Link>
      </p>
    </PanelPart>
  );
}
