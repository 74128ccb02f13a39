import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inWords, pinakes } from '../../data/api.ts';
import { explainSource } from '../../data/policies.ts';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Problem } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useScope } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';

const OFFERED = 6;

interface ExplainProps {
  name: string;
  version: number;
  principalId: string;
  light(pointer: string): void;
}

/** Finds a source by its name, and says which rule of the stored policy shows or hides it. */
export function Explain({ name, version, principalId, light }: ExplainProps) {
  const mayList = useScope('knowledge:read', 'ingestion:manage');
  const [q, setQ] = useState('');
  const found = useQuery({
    queryKey: ['explain', 'sources', q.trim()],
    queryFn: ({ signal }) => pinakes.listAllSources({ query: { q: q.trim(), limit: OFFERED } }, { signal }),
    enabled: mayList && q.trim() !== '',
  });
  const explain = useMutation({
    mutationFn: async (source: { id: string; name: string }) => ({
      ...(await explainSource(name, principalId.trim(), source.id)),
      source: source.name,
    }),
    onSuccess: ({ matched_rule: rule }) => rule !== null && light(rule),
  });
  if (!mayList) return null;
  return (
    <section>
      <h2 className="mb-2 text-xs font-medium text-ink-2">{say('policies.explain', { n: version })}</h2>
      <TextField label={say('policies.sourceName')} value={q} onChange={(event) => setQ(event.target.value)} />
      {q.trim() !== '' && found.isSuccess && (
        <ul className="mt-1.5 flex flex-col">
          {found.data.sources.map((source) => (
            <li key={source.id}>
              <button
                type="button"
                onClick={() => explain.mutate(source)}
                className="w-full truncate rounded-md px-1.5 py-1 text-start hover:bg-hover"
              >
                <bdi>{source.path ?? (source.name || say('sources.withheld'))}</bdi>
              </button>
            </li>
          ))}
          {found.data.sources.length === 0 && <li className="px-1.5 py-1 text-ink-3">{say('pick.none')}</li>}
        </ul>
      )}
      {explain.isError && <Problem text={inWords(explain.error)} />}
      {explain.isSuccess && (
        <p role="status" className="mt-2 flex items-start gap-2">
          <Icon name={explain.data.allowed ? 'check' : 'eye-off'} size={14} className="mt-0.5 text-ink-3" />
          <span className="min-w-0">
            {say(explain.data.allowed ? 'policies.explainedShown' : 'policies.explainedHidden', {
              name: explain.data.source,
              rule: explain.data.matched_rule || say('policies.wholePolicy'),
            })}
          </span>
        </p>
      )}
    </section>
  );
}
