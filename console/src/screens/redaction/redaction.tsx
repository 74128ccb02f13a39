import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { hasNothing, inWords, PinakesError, pinakes, savedOver } from '../../data/api.ts';
import { type Draft, REDACTION, type Rule, readPolicy, type StoredPolicy } from '../../data/redaction.ts';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Tick } from '../../parts/form.tsx';
import { Empty, Header, Problem, Spinner } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useDraft } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';
import { ruleOfError } from './marks.ts';
import { RuleForm } from './rule-form.tsx';
import { Trial } from './trial.tsx';

const NOTHING: Draft = { enabled: true, rules: [] };
const POLICY_KEY = [REDACTION, 'policy'] as const;

/** The redaction policy: its rules, beside a text on which the draft is tried. */
export function Redaction() {
  const policy = useQuery({ queryKey: POLICY_KEY, queryFn: ({ signal }) => readPolicy(signal) });
  if (policy.isPending)
    return (
      <div className="p-4">
        <Spinner label={say('loading')} />
      </div>
    );
  if (hasNothing(policy) || policy.data === undefined)
    return (
      <div className="p-4">
        <Problem text={inWords(policy.error)}>
          <Button size="small" onClick={() => policy.refetch()}>
            {say('action.retry')}
          </Button>
        </Problem>
      </div>
    );
  return <Editor stored={policy.data} />;
}

function Editor({ stored }: { stored: StoredPolicy | null }) {
  const queries = useQueryClient();
  const before: Draft = stored ? { enabled: stored.enabled, rules: stored.rules } : NOTHING;
  const version = stored?.version ?? 0;
  const [unsaved, setUnsaved] = useDraft<{ over: number; draft: Draft }>('redaction', true);
  const draft = unsaved?.draft ?? before;
  const [open, setOpen] = useState<number | null>(null);
  const [asked, setAsked] = useState<'save' | 'delete' | null>(null);
  const [refused, setRefused] = useState<Error | null>(null);
  const changed = unsaved !== undefined;
  const refresh = async () => {
    setUnsaved(() => undefined);
    setAsked(null);
    await queries.invalidateQueries({ queryKey: POLICY_KEY });
  };
  const save = useMutation({
    /** Saves nothing over a version of which the reader was not told, and returns false. The draft then says so. */
    mutationFn: () =>
      savedOver(version, (headers) =>
        pinakes.putRedactionPolicy({ body: { enabled: draft.enabled, rules: [...draft.rules] }, headers }),
      ),
    onSuccess: (saved) => (saved ? refresh() : queries.invalidateQueries({ queryKey: POLICY_KEY })),
  });
  const remove = useMutation({ mutationFn: () => pinakes.deleteRedactionPolicy(), onSuccess: refresh });
  const refusal = save.error ?? refused;
  const wrong = refusal instanceof PinakesError ? ruleOfError(refusal) : null;
  const atIngest = [...draft.rules, ...before.rules].some((rule) => rule.apply_at.includes('ingest'));

  function change(next: Partial<Draft>) {
    save.reset();
    setUnsaved((old) => {
      const written = { ...(old?.draft ?? before), ...next };
      const isSame = JSON.stringify(written) === JSON.stringify(before);
      return isSame ? undefined : { over: old?.over ?? version, draft: written };
    });
  }
  function add() {
    const taken = new Set(draft.rules.map((rule) => rule.name));
    let name = 'rule';
    for (let n = 2; taken.has(name); n++) name = `rule-${n}`;
    const rule: Rule = {
      name,
      kind: 'entity',
      entities: ['email'],
      action: 'mask',
      apply_at: ['retrieval', 'llm_input', 'output'],
    };
    change({ rules: [...draft.rules, rule] });
    setOpen(draft.rules.length);
  }
  const addButton = (
    <Button icon="plus" onClick={add}>
      {say('redaction.add')}
    </Button>
  );

  return (
    <>
      <Header
        title={say('redaction.title')}
        count={stored ? say('policies.version', { n: stored.version }) : undefined}
      >
        <Button disabled={!changed} onClick={() => change(before)}>
          {say('policies.discard')}
        </Button>
        <Button
          look="primary"
          disabled={!changed}
          busy={save.isPending}
          onClick={() => (atIngest ? setAsked('save') : save.mutate())}
        >
          {say('action.save')}
        </Button>
      </Header>
      <div className="scroll grid min-h-0 flex-1 grid-cols-1 xl:grid-cols-[minmax(0,1fr)_420px] xl:overflow-hidden">
        <section aria-label={say('redaction.rules')} className="flex flex-col gap-3 p-4 xl:overflow-auto">
          <div className="flex flex-wrap items-center gap-3">
            <Tick
              label={say('redaction.enabled')}
              checked={draft.enabled}
              onChange={() => change({ enabled: !draft.enabled })}
            />
            <span className="ms-auto flex gap-1.5">
              {stored && (
                <Button look="ghost" icon="trash-2" onClick={() => setAsked('delete')}>
                  {say('action.delete')}
                </Button>
              )}
              {draft.rules.length > 0 && addButton}
            </span>
          </div>
          {unsaved && unsaved.over !== version && <Problem text={say('redaction.outdated', { n: version })} />}
          {refusal && wrong === null && <Problem text={inWords(refusal)} />}
          {draft.rules.length === 0 ? (
            <Empty icon="eye-off" title={say('redaction.none')} text={say('redaction.noneText')}>
              {addButton}
            </Empty>
          ) : (
            <ol className="flex flex-col gap-2">
              {draft.rules.map((rule, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no other identity than its place
                <li key={at}>
                  <RuleForm
                    number={at + 1}
                    rule={rule}
                    open={open === at}
                    toggle={() => setOpen(open === at ? null : at)}
                    problem={wrong?.rule === at ? wrong : null}
                    change={(next) => change({ rules: draft.rules.map((old, i) => (i === at ? next : old)) })}
                    remove={() => {
                      change({ rules: draft.rules.filter((_, i) => i !== at) });
                      setOpen(null);
                    }}
                  />
                </li>
              ))}
            </ol>
          )}
        </section>
        <Trial draft={draft} refuse={setRefused} />
      </div>
      {asked === 'save' && (
        <FormDialog
          title={say('redaction.saveTitle')}
          text={say('redaction.saveText')}
          action={say('action.save')}
          pending={save.isPending}
          error={save.error}
          close={() => setAsked(null)}
          submit={() => save.mutate()}
        />
      )}
      {asked === 'delete' && (
        <FormDialog
          title={say('redaction.deleteTitle')}
          text={say('redaction.deleteText')}
          action={say('action.delete')}
          icon="trash-2"
          pending={remove.isPending}
          error={remove.error}
          close={() => setAsked(null)}
          submit={() => remove.mutate()}
        />
      )}
    </>
  );
}
