import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { inWords } from '../../data/api.ts';
import { usePages } from '../../data/pages.ts';
import { listGroups, readLinks, setLink, TAGS, type Tag } from '../../data/tags.ts';
import { Button } from '../../parts/button.tsx';
import { Window } from '../../parts/dialog.tsx';
import { TextField, Tick } from '../../parts/form.tsx';
import { Problem, Spinner } from '../../parts/layout.tsx';
import { More } from '../../parts/listing.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useScope } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';

/** The source groups, and which of them have the tag. A click changes the link at once. */
export function AssignTag({ tag, close }: { tag: Tag; close(): void }) {
  const queries = useQueryClient();
  const mayWrite = useScope('knowledge:write');
  const [q, setQ] = useState('');
  const groups = usePages([TAGS, 'groups', q.trim()], (afterId, signal) => listGroups(q.trim(), afterId, signal));
  const key = [TAGS, 'links', tag.id];
  const links = useQuery({ queryKey: key, queryFn: () => readLinks(tag.id) });
  const change = useMutation({
    mutationFn: ({ id, linked }: { id: string; linked: boolean }) => setLink(tag.id, id, linked),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  });
  const rows = groups.pages.flatMap((page) => page.source_groups);
  const linked = (id: string) =>
    change.isPending && change.variables.id === id ? change.variables.linked : (links.data?.has(id) ?? false);
  const problem = links.error ?? groups.error ?? change.error;

  return (
    <Window
      title={say('tags.assignTitle', { name: tag.name })}
      text={links.data && say('tags.groupCount', { n: links.data.size })}
      close={close}
    >
      <div className="mt-4">
        <TextField autoFocus label={say('list.filter')} value={q} onChange={(event) => setQ(event.target.value)} />
      </div>
      {problem && (
        <div className="mt-3">
          <Problem text={inWords(problem)} />
        </div>
      )}
      <section
        tabIndex={0}
        aria-label={say('tags.groups')}
        className="scroll mt-3 h-64 rounded-lg border border-line bg-sunken px-3 py-2"
      >
        {groups.isPending || links.isPending ? (
          <Spinner label={say('loading')} />
        ) : (
          <ul className="flex flex-col gap-1.5">
            {rows.map(({ id, name }) => (
              <li key={id}>
                <Tick
                  label={<bdi>{name || say('sources.withheld')}</bdi>}
                  checked={linked(id)}
                  disabled={!mayWrite}
                  // A disabled box would lose the focus while its change is stored.
                  onChange={() => !change.isPending && change.mutate({ id, linked: !linked(id) })}
                />
              </li>
            ))}
            {rows.length === 0 && <li className="text-ink-3">{say('pick.none')}</li>}
          </ul>
        )}
        <More list={groups} />
      </section>
      <div className="mt-5 flex justify-end">
        <Button look="primary" onClick={close}>
          {say('action.done')}
        </Button>
      </div>
    </Window>
  );
}
