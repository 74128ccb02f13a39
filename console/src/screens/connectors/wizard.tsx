import { Dialog } from '@base-ui/react/dialog';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { inWords, PinakesError } from '../../data/api.ts';
import {
  CONNECTORS,
  checkConnector,
  createConnector,
  type NewConnector,
  type OriginCheck,
} from '../../data/connectors.ts';
import { RUNS } from '../../data/runs/use-run-events.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Problem, Spinner } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { say, sayOfService } from '../../words/words.ts';
import {
  type ConnectorKind,
  type FieldValues,
  initialValues,
  KINDS,
  missingFields,
  nameOfOrigin,
  originOf,
} from './kinds.ts';
import { MetadataFields, type MetadataRow } from './metadata-fields.tsx';
import { OriginFields } from './origin-fields.tsx';
import { isUsable, ScheduleFields, useSchedule } from './schedule-fields.tsx';

const STEPS = ['kind', 'origin', 'schedule'] as const;
type Step = (typeof STEPS)[number];

/** Connects an origin in three steps: what it is, where it is (tried before anything is stored), and when to read it. */
export function Wizard({ close }: { close(madeId?: string): void }) {
  const [step, setStep] = useKept<Step>('wizard.step', 'kind');
  const [kind, setKind] = useKept<ConnectorKind | null>('wizard.kind', null);
  const [values, setValues] = useKept<FieldValues>('wizard.values', {});
  const [secretId, setSecretId] = useKept('wizard.secret', '');
  const [name, setName] = useKept('wizard.name', '');
  const [metadata, setMetadata] = useKept<MetadataRow[]>('wizard.metadata', []);
  const schedule = useSchedule('', 'wizard.schedule');
  const queries = useQueryClient();
  const check = useMutation({
    mutationFn: ({
      kind: one,
      given,
    }: {
      kind: ConnectorKind;
      given: Pick<NewConnector, 'origin' | 'secretId'>;
      again: boolean;
    }) => checkConnector(one, given),
  });
  const test = (one: ConnectorKind, again: boolean) =>
    check.mutate({ kind: one, given: { origin: originOf(one, values), secretId }, again });
  const create = useMutation({
    mutationFn: (one: ConnectorKind) =>
      createConnector(one, {
        name: name.trim() || nameOfOrigin(one, values),
        origin: originOf(one, values),
        secretId,
        rrule: schedule.rule,
        metadata: metadata.flatMap(({ key, val }) => (key.trim() === '' ? [] : [{ key: key.trim(), val }])),
      }),
    onSuccess: async (made) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: [CONNECTORS] }),
        queries.invalidateQueries({ queryKey: [RUNS] }),
      ]);
      close(made.id);
    },
  });
  const choose = (one: ConnectorKind) => {
    if (one !== kind) setValues(initialValues(one));
    setSecretId('');
    check.reset();
    setKind(one);
    setStep('origin');
  };
  const missing = kind ? missingFields(kind, values) : [];
  const ready = kind !== null && missing.length === 0 && !(kind.secret?.required && secretId === '');
  // What the test refuses, the creation would refuse, too.
  const isRefused = check.error instanceof PinakesError && [400, 422].includes(check.error.status);
  const tried = !isRefused && (check.data !== undefined || check.isError);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!kind || !ready || check.isPending || create.isPending) return;
    if (step === 'origin') {
      if (tried) setStep('schedule');
      else test(kind, false);
    } else if (step === 'schedule' && isUsable(schedule)) create.mutate(kind);
  }

  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={(open) => !open && !create.isPending && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/25 dark:bg-black/55" />
        <Dialog.Popup className="pop fixed inset-x-4 top-[8vh] z-40 mx-auto flex max-h-[84vh] max-w-xl flex-col rounded-xl bg-raised shadow-2 outline-none">
          <div className="flex items-center gap-3 border-b border-line px-5 py-3.5">
            <Dialog.Title className="text-base font-semibold">
              {kind && step !== 'kind' ? say('connectors.addKind', { kind: say(kind.name) }) : say('connectors.add')}
            </Dialog.Title>
            <span className="num ms-auto text-xs text-ink-3">
              {say('connectors.step', { at: STEPS.indexOf(step) + 1, of: STEPS.length })}
            </span>
            <Dialog.Close render={<Button look="ghost" icon="x" aria-label={say('action.close')} />} />
          </div>
          {step === 'kind' || !kind ? (
            <Kinds chosen={kind} choose={choose} />
          ) : (
            <form onSubmit={submit} className="flex min-h-0 flex-col" noValidate>
              <div className="scroll min-h-0 px-5 py-4">
                {step === 'origin' ? (
                  <>
                    <OriginFields
                      kind={kind}
                      values={values}
                      change={(part) => {
                        check.reset();
                        setValues((old) => ({ ...old, ...part }));
                      }}
                      secretId={secretId}
                      setSecretId={(id) => {
                        check.reset();
                        setSecretId(id);
                      }}
                    />
                    <CheckResult
                      check={check.data}
                      problem={check.isError ? inWords(check.error) : null}
                      busy={check.isPending}
                    />
                  </>
                ) : (
                  <div className="flex flex-col gap-4">
                    <TextField
                      label={say('connectors.name')}
                      maxLength={200}
                      placeholder={nameOfOrigin(kind, values)}
                      value={name}
                      onChange={(event) => setName(event.target.value)}
                    />
                    <ScheduleFields schedule={schedule} />
                    <MetadataFields rows={metadata} change={setMetadata} />
                    {create.isError && <Problem text={inWords(create.error)} />}
                  </div>
                )}
              </div>
              <div className="flex items-center gap-2 border-t border-line px-5 py-3.5">
                <Button icon="chevron-left" onClick={() => setStep(step === 'origin' ? 'kind' : 'origin')}>
                  {say('connectors.back')}
                </Button>
                <span className="ms-auto" />
                {step === 'origin' && (tried || check.variables?.again) && (
                  <Button icon="plug" busy={check.isPending} onClick={() => test(kind, true)}>
                    {say('connectors.testAgain')}
                  </Button>
                )}
                {step === 'origin' ? (
                  <Button
                    look="primary"
                    type="submit"
                    disabled={!ready}
                    busy={check.isPending}
                    icon={tried ? 'chevron-right' : 'plug'}
                  >
                    {say(tried ? 'connectors.continue' : 'connectors.test')}
                  </Button>
                ) : (
                  <Button
                    look="primary"
                    type="submit"
                    icon="check"
                    busy={create.isPending}
                    disabled={!isUsable(schedule)}
                  >
                    {say('connectors.create')}
                  </Button>
                )}
              </div>
            </form>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Kinds({ chosen, choose }: { chosen: ConnectorKind | null; choose(kind: ConnectorKind): void }) {
  return (
    <ul className="scroll grid min-h-0 gap-2 p-5 sm:grid-cols-2">
      {KINDS.map((kind) => (
        <li key={kind.kind}>
          <button
            type="button"
            onClick={() => choose(kind)}
            className={`flex h-full w-full flex-col gap-1 rounded-lg border p-4 text-start transition-colors hover:bg-hover ${kind === chosen ? 'border-accent' : 'border-line-strong'}`}
          >
            <Icon name={kind.icon} size={18} className="mb-1 text-ink-2" />
            <span className="font-medium">{say(kind.name)}</span>
            <span className="text-xs text-ink-3">{say(kind.text)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What the test of the origin found. */
function CheckResult({
  check,
  problem,
  busy,
}: {
  check: OriginCheck | undefined;
  problem: string | null;
  busy: boolean;
}) {
  if (busy)
    return (
      <div className="mt-4">
        <Spinner label={say('connectors.testing')} />
      </div>
    );
  const text = problem ?? (check?.problem ? `${sayOfService(check.problem.title)}. ${check.problem.message}` : null);
  if (text !== null)
    return (
      <div className="mt-4">
        <Problem text={text} />
      </div>
    );
  if (!check) return null;
  return (
    <div role="status" className="mt-4 rounded-lg border border-line bg-sunken px-3 py-2.5">
      <p className="flex items-center gap-2 font-medium">
        <Icon name="circle-check" size={15} className="text-ok" />
        {say(check.complete ? 'connectors.found' : 'connectors.foundSoFar', { n: check.files })}
      </p>
      {check.account !== null && (
        <p className="mt-1 text-xs text-ink-3">
          {say('connectors.readAs')} <bdi className="text-ink-2">{check.account}</bdi>
        </p>
      )}
      {check.names.length > 0 && (
        <ul className="mt-1.5 text-xs text-ink-2">
          {check.names.map((name) => (
            <li key={name} className="truncate">
              <bdi>{name}</bdi>
            </li>
          ))}
          {check.files > check.names.length && <li className="text-ink-3">…</li>}
        </ul>
      )}
    </div>
  );
}
