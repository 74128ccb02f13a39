import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { inWords } from '../../data/api.ts';
import { POLICIES, type Policy, type Principal, previewPolicy, savePolicy } from '../../data/policies.ts';
import { JsonProblem, lineOf, type PlacedJson, placeOf, readJson, splitPointer } from '../../json/json-places.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonEditor } from '../../parts/json-editor.tsx';
import { say } from '../../words/words.ts';
import { Explain } from './explain.tsx';
import { PreviewPanel } from './preview-panel.tsx';

const TYPED_MS = 400;

interface WorkshopProps {
  name: string;
  /** Undefined: the policy is not stored yet. */
  policy: Policy | undefined;
  text: string;
  changed: boolean;
  change(text: string): void;
  discard(): void;
  remove(): void;
}

interface Fault {
  message: string;
  start: number;
  end: number;
}

/** The editor of one policy with its errors at their place, and beside it what the policy would show. */
export function PolicyWorkshop({ name, policy, text, changed, change, discard, remove }: WorkshopProps) {
  const queries = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const problemId = useId();
  const [principal, setPrincipal] = useState<Principal>({ kind: 'id', id: '' });
  const [litPointer, setLitPointer] = useState<string | null>(null);
  const settled = useSettled(text);
  const settledPrincipal = useSettled(principal);
  const read = readOrFault(text);
  const ready = settled === text && 'value' in read;
  const preview = useQuery({
    queryKey: [POLICIES, 'preview', name, policy?.version, settled, settledPrincipal],
    queryFn: ({ signal }) => previewPolicy(name, readJson(settled).value, settledPrincipal, signal),
    enabled: ready,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const save = useMutation({
    mutationFn: (document: unknown) => savePolicy(name, document),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [POLICIES] });
      discard();
    },
  });
  const refusal = save.error ?? (ready ? preview.error : null);
  const fault = 'value' in read ? refusal && faultOf(refusal, read) : read;
  const failing = preview.data?.tests.findIndex((problem) => problem !== null) ?? -1;
  const lit = litPointer === null || !('value' in read) ? undefined : linesOf(text, placeOf(read, litPointer));

  function show({ start, end }: { start: number; end: number }) {
    field.current?.focus();
    field.current?.setSelectionRange(start, end);
  }

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
            <Button disabled={!changed} onClick={discard}>
              {say('policies.discard')}
            </Button>
            <Button
              look="primary"
              disabled={!changed || !('value' in read) || save.isPending}
              onClick={() => 'value' in read && save.mutate(read.value)}
            >
              {say('policies.save', { n: (policy?.version ?? 0) + 1 })}
            </Button>
          </span>
        </div>
        <JsonEditor
          field={field}
          label={say('policies.json')}
          value={text}
          change={(next) => {
            save.reset();
            setLitPointer(null);
            change(next);
          }}
          describedBy={fault ? problemId : undefined}
          {...(fault && { wrong: new Set([lineOf(text, fault.start)]) })}
          {...(lit && { lit })}
        />
        {fault && (
          <div
            id={problemId}
            role="alert"
            className="flex items-start gap-2 rounded-lg border border-bad/30 bg-bad-soft px-3 py-2"
          >
            <Icon name="circle-alert" size={15} className="mt-0.5 text-bad" />
            <span className="min-w-0 flex-1" dir="auto">
              {fault.message}
            </span>
            <Button size="small" onClick={() => show(fault)}>
              {say('policies.goToLine', { n: lineOf(text, fault.start) + 1 })}
            </Button>
          </div>
        )}
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
          failing={failing}
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

function readOrFault(text: string): PlacedJson | Fault {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return { message: say('policies.notJson'), start: error.at, end: error.at + 1 };
  }
}

/** Returns where the thing stands that the service refused; the whole text if the service does not say. */
function faultOf(error: Error, read: PlacedJson): Fault {
  const message = inWords(error);
  const split = splitPointer(message, '/policy');
  if (split === null) return { message, start: 0, end: 0 };
  return { message: `${split.pointer}: ${split.text}`, ...placeOf(read, split.pointer) };
}

function linesOf(text: string, { start, end }: { start: number; end: number }): ReadonlySet<number> {
  const first = lineOf(text, start);
  return new Set(Array.from({ length: lineOf(text, end) - first + 1 }, (_, at) => first + at));
}

/** Returns the names of the tests of a policy; a number where a test has none. */
function testsOf(value: unknown): string[] {
  const tests = (value as { tests?: unknown } | null)?.tests;
  if (!Array.isArray(tests)) return [];
  return tests.map((test: { name?: unknown } | null, at) =>
    typeof test?.name === 'string' ? test.name : say('policies.testNumber', { n: at + 1 }),
  );
}

/** Returns the value once it has not changed for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
