import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useMemo, useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { type Preview, type Principal, SUBJECTS } from '../../data/policies.ts';
import { JsonEditor } from '../../json/json-editor.tsx';
import { faultIn, readOrFault } from '../../json/json-fault.ts';
import { Button, Hint } from '../../parts/button.tsx';
import { Field } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Spinner } from '../../parts/layout.tsx';
import { say } from '../../words/words.ts';

const SUGGESTED = 20;

interface PanelProps {
  preview: Preview | undefined;
  pending: boolean;
  /** Whether the preview belongs to an older text. */
  stale: boolean;
  principal: Principal;
  setPrincipal(principal: Principal): void;
  tests: readonly string[];
  /** Why the service refuses the attributes. */
  refusal: Error | null;
  /** Lights the rule with the pointer in the editor. */
  light(pointer: string): void;
}

/** What the policy shows to a principal, what changes, and which of its tests fail. */
export function PreviewPanel({ preview, pending, stale, principal, setPrincipal, refusal, tests, light }: PanelProps) {
  return (
    <>
      <section className="flex flex-col gap-3">
        <h2 className="text-xs font-medium text-ink-2">{say('policies.previewAs')}</h2>
        <PrincipalFields principal={principal} setPrincipal={setPrincipal} refusal={refusal} />
        {preview && principal.kind === 'id' && principal.id !== '' && <KnownAttributes preview={preview} />}
      </section>
      <section aria-live="polite" aria-busy={stale} className={stale ? 'opacity-60' : ''}>
        {preview ? <Counts preview={preview} /> : pending ? <Spinner label={say('loading')} /> : null}
        {preview && <Sample preview={preview} light={light} />}
      </section>
      {tests.length > 0 && (
        <section>
          <h2 className="mb-1.5 text-xs font-medium text-ink-2">{say('policies.tests')}</h2>
          <ul className="flex flex-col gap-1">
            {tests.map((name, at) => {
              const problem = preview?.tests[at];
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: a test has no other identity than its place
                <li key={at}>
                  <button
                    type="button"
                    onClick={() => light(`/tests/${at}`)}
                    className="flex w-full items-start gap-2 rounded-md px-1.5 py-1 text-start hover:bg-hover"
                  >
                    <Icon
                      name={problem ? 'circle-alert' : 'check'}
                      size={14}
                      className={`mt-0.5 ${problem ? 'text-bad' : 'text-ink-3'}`}
                    />
                    <span className="min-w-0">
                      <bdi>{name}</bdi>
                      <span className="sr-only"> {say(problem ? 'policies.testFails' : 'policies.testPasses')}</span>
                      {problem && <span className="block text-xs text-bad">{problem}</span>}
                    </span>
                  </button>
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </>
  );
}

function PrincipalFields({
  principal,
  setPrincipal,
  refusal,
}: Pick<PanelProps, 'principal' | 'setPrincipal' | 'refusal'>) {
  const list = useId();
  const [json, setJson] = useState('{}');
  const fault = useMemo(() => faultIn(json, refusal, '/attributes'), [json, refusal]);
  const q = principal.kind === 'id' ? principal.id.trim() : '';
  const known = useQuery({
    queryKey: [SUBJECTS, 'suggested', q],
    queryFn: () => pinakes.listSubjects({ query: { limit: SUGGESTED, order: 'desc', ...(q !== '' && { q }) } }),
  });
  function typed(text: string) {
    setJson(text);
    const next = readOrFault(text);
    if ('value' in next) setPrincipal({ kind: 'attributes', attributes: next.value });
  }
  return (
    <>
      <div className="flex gap-1">
        {(['id', 'attributes'] as const).map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={principal.kind === kind}
            onClick={() => (kind === 'id' ? setPrincipal({ kind, id: '' }) : typed(json))}
            className={`h-7 rounded-md px-2 ${principal.kind === kind ? 'bg-press font-medium' : 'text-ink-2 hover:bg-hover'}`}
          >
            {say(`policies.by.${kind}`)}
          </button>
        ))}
      </div>
      {principal.kind === 'id' ? (
        <Field label={say('policies.principal')} hint={q === '' && say('policies.nobody')}>
          <input
            dir="auto"
            list={list}
            autoComplete="off"
            value={principal.id}
            onChange={(event) => setPrincipal({ kind: 'id', id: event.target.value })}
            className="field h-8 w-full"
          />
          <datalist id={list}>
            {known.data?.subjects.map((subject) => (
              <option key={subject.principal_id} value={subject.principal_id} />
            ))}
          </datalist>
        </Field>
      ) : (
        <div>
          <p className="mb-1 text-xs font-medium text-ink-2">{say('policies.attributes')}</p>
          <div className="flex min-h-24 flex-col gap-2">
            <JsonEditor label={say('policies.attributes')} value={json} change={typed} fault={fault} />
          </div>
        </div>
      )}
    </>
  );
}

function KnownAttributes({ preview: { attributes } }: { preview: Preview }) {
  const entries = Object.entries(attributes);
  if (entries.length === 0) return <p className="text-xs text-ink-3">{say('policies.noAttributes')}</p>;
  return (
    <dl className="flex flex-wrap gap-1.5">
      {entries.map(([name, value]) => (
        <div key={name} className="chip max-w-full pe-2">
          <dt className="text-ink-3">{name}</dt>
          <dd className="truncate font-medium">
            <bdi>{[value].flat().join(', ')}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Counts({ preview }: { preview: Preview }) {
  const { total, visible, appearing, disappearing, stored_version: version } = preview;
  const same = appearing === 0 && disappearing === 0;
  return (
    <div>
      <p className="text-xl font-semibold">{say('policies.visible', { visible, total })}</p>
      <div className="mt-3 h-1.5 overflow-hidden rounded-full bg-press" aria-hidden="true">
        <div className="h-full bg-accent" style={{ width: `${total === 0 ? 0 : (100 * visible) / total}%` }} />
      </div>
      <p className="mt-2 text-ink-2">
        {version === null
          ? say('policies.noStored')
          : same
            ? say('policies.same', { n: version })
            : say('policies.flips', { appearing, disappearing, version })}
      </p>
    </div>
  );
}

function Sample({ preview, light }: Pick<PanelProps, 'light'> & { preview: Preview }) {
  if (preview.sample.length === 0) return null;
  return (
    <ul className="mt-3 divide-y divide-line rounded-lg border border-line bg-surface">
      {preview.sample.map((source) => {
        const flips = source.visible !== source.visible_before;
        const state = flips ? (source.visible ? 'appears' : 'disappears') : source.visible ? 'shown' : 'hidden';
        return (
          <li key={source.source_id} className="flex items-center gap-2 px-2.5 py-1.5">
            <Icon
              name={source.visible ? 'check' : 'eye-off'}
              size={14}
              className={flips ? (source.visible ? 'text-accent' : 'text-warn') : 'text-ink-3'}
            />
            <Link
              to="/sources/$id"
              params={{ id: source.source_id }}
              search={{}}
              className={`min-w-0 flex-1 truncate hover:underline ${source.visible ? '' : 'text-ink-2'}`}
            >
              <bdi>{source.path ?? (source.name || say('sources.withheld'))}</bdi>
            </Link>
            <span className={`shrink-0 text-xs ${flips ? 'font-medium text-ink' : 'text-ink-3'}`}>
              {say(`policies.is.${state}`)}
            </span>
            {source.matched_rule !== null && (
              <Hint label={say('policies.showRule')}>
                <Button
                  look="ghost"
                  size="small"
                  icon="braces"
                  aria-label={say('policies.showRuleOf', { name: source.name })}
                  onClick={() => light(source.matched_rule ?? '')}
                />
              </Hint>
            )}
          </li>
        );
      })}
    </ul>
  );
}
