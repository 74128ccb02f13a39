import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { POLICIES, type Policy, type Principal, previewPolicy, savePolicy } from '../../data/policies.ts';
import { JsonEditor } from '../../json/json-editor.tsx';
import { type Fault, isIn, readOrFault, refusedIn } from '../../json/json-fault.ts';
import { placeOf, readJson } from '../../json/json-places.ts';
import { Button } from '../../parts/button.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useSettled } from '../../parts/use-settled.ts';
import { say } from '../../words/words.ts';
import { Explain } from './explain.tsx';
import { Outdated } from './outdated.tsx';
import { PreviewPanel } from './preview-panel.tsx';

interface WorkshopProps {
  name: string;
  /** Undefined: the policy is not stored yet. */
  policy: Policy | undefined;
  text: string;
  /** The stored version over which the text was written. Version 0: there was none. */
  over: { version: number; text: string };
  changed: boolean;
  change(text: string): void;
  discard(): void;
  /** Keeps the text, as a change of the newest version. */
  rebase(): void;
  remove(): void;
}

/** The editor of one policy with its errors at their place, and beside it what the policy would show. */
export function PolicyWorkshop({ name, policy, text, over, changed, change, discard, rebase, remove }: WorkshopProps) {
  const queries = useQueryClient();
  const [principal, setPrincipal] = useState<Principal>({ kind: 'id', id: '' });
  const [litPointer, setLitPointer] = useState<string | null>(null);
  const settled = useSettled(text);
  const settledPrincipal = useSettled(principal);
  const read = useMemo(() => readOrFault(text), [text]);
  const ready = settled === text && 'value' in read;
  const preview = useQuery({
    queryKey: [POLICIES, 'preview', name, policy?.version, settled, settledPrincipal],
    queryFn: ({ signal }) => previewPolicy(name, readJson(settled).value, settledPrincipal, signal),
    enabled: ready,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const outdated = changed && over.version !== (policy?.version ?? 0);
  const save = useMutation({
    /** Saves nothing over a version that the draft does not know, and returns false. */
    mutationFn: (document: unknown) => savePolicy(name, document, over.version),
    async onSuccess(saved) {
      await queries.invalidateQueries({ queryKey: [POLICIES] });
      if (saved) discard();
    },
  });
  const previewError = ready ? preview.error : null;
  const ofAttributes = previewError && isIn(previewError, '/attributes') ? previewError : null;
  const fault = useMemo((): Fault | null => {
    if (!('value' in read)) return read;
    if (save.error) return refusedIn(read, save.error);
    return previewError && !ofAttributes ? refusedIn(read, previewError, '/policy') : null;
  }, [read, save.error, previewError, ofAttributes]);
  const lit = litPointer === null || !('value' in read) ? null : placeOf(read, litPointer);

  return (
    <div className="scroll grid min-h-0 flex-1 grid-cols-1 xl:grid-cols-[minmax(0,1fr)_380px] xl:overflow-hidden">
      <div className="flex min-h-96 flex-col gap-3 p-4 xl:min-h-0">
        <div className="flex flex-wrap items-center gap-2">
          <span className="text-ink-3">
            {policy ? say('policies.version', { n: policy.version }) : say('policies.notStored')}
          </span>
          <span className="ms-auto flex gap-1.5">
            {policy && (
              <Button look="ghost" icon="trash-2" onClick={remove}>
                {say('action.delete')}
              </Button>
            )}
            <Button
              disabled={!changed}
              onClick={() => {
                save.reset();
                discard();
              }}
            >
              {say('policies.discard')}
            </Button>
            <Button
              look="primary"
              disabled={!changed || outdated || !('value' in read)}
              busy={save.isPending}
              onClick={() => 'value' in read && save.mutate(read.value)}
            >
              {say('policies.save', { n: (policy?.version ?? 0) + 1 })}
            </Button>
          </span>
        </div>
        {outdated && <Outdated over={over} policy={policy} take={discard} keep={rebase} />}
        <JsonEditor
          label={say('policies.json')}
          value={text}
          change={(next) => {
            save.reset();
            setLitPointer(null);
            change(next);
          }}
          fault={fault}
          lit={lit}
        />
      </div>
      <aside
        aria-label={say('policies.preview')}
        className="scroll flex flex-col gap-5 border-line bg-sunken p-4 max-xl:border-t xl:border-s"
      >
        <PreviewPanel
          preview={preview.data}
          pending={preview.isFetching}
          stale={!ready || preview.isError}
          principal={principal}
          setPrincipal={setPrincipal}
          refusal={ofAttributes}
          tests={'value' in read ? testsOf(read.value) : []}
          light={setLitPointer}
        />
        {policy && (
          <Explain
            name={name}
            version={policy.version}
            principalId={principal.kind === 'id' ? principal.id : ''}
            light={(pointer) => {
              if (!changed) setLitPointer(pointer);
            }}
          />
        )}
      </aside>
    </div>
  );
}

/** Returns the names of the tests of a policy; a number where a test has none. */
function testsOf(value: unknown): string[] {
  const tests = (value as { tests?: unknown } | null)?.tests;
  if (!Array.isArray(tests)) return [];
  return tests.map((test: { name?: unknown } | null, at) =>
    typeof test?.name === 'string' ? test.name : say('policies.testNumber', { n: at + 1 }),
  );
}
