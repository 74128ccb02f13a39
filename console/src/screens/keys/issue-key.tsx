import { useQueryClient } from '@tanstack/react-query';
import { GROUP_CHOICES } from '../../data/group-names.ts';
import { findGroups, findTags, type IssuedKey, issueKey, KEYS, type NewKey, type Scope } from '../../data/keys.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Fields, SelectField, TextField, Tick } from '../../parts/form.tsx';
import { Pick } from '../../parts/pick.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { useScope, useSession } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';

const LIFETIMES = [30, 90, 365] as const;
const NOBODY_CHOSEN: ReadonlyMap<string, string> = new Map();

/** Asks what a new key may do, where, and for how long. A key offers only its own scopes. */
export function IssueKey({ close, done }: { close(): void; done(issued: IssuedKey): void }) {
  const queries = useQueryClient();
  const { scopes: own } = useSession();
  const mayRead = useScope('knowledge:read');
  const mayListGroups = useScope('knowledge:read', 'ingestion:manage');
  const [wanted, setWanted] = useKept<NewKey>('key.new', {
    name: '',
    scopes: [],
    days: 90,
    groups: NOBODY_CHOSEN,
    tags: NOBODY_CHOSEN,
  });
  const set = (change: Partial<NewKey>) => setWanted((old) => ({ ...old, ...change }));
  const issue = useMutation({
    mutationFn: () => issueKey({ ...wanted, name: wanted.name.trim() }),
    onSuccess(issued) {
      void queries.invalidateQueries({ queryKey: [KEYS] });
      done(issued);
    },
  });
  const toggle = (scope: Scope) =>
    set({
      scopes: wanted.scopes.includes(scope) ? wanted.scopes.filter((one) => one !== scope) : [...wanted.scopes, scope],
    });

  return (
    <FormDialog
      wide
      title={say('apiKeys.issue')}
      text={say('apiKeys.issueText')}
      action={say('apiKeys.issue')}
      pending={issue.isPending}
      error={issue.error}
      disabled={wanted.name.trim() === '' || wanted.scopes.length === 0}
      close={close}
      submit={() => issue.mutate()}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          autoFocus
          label={say('column.name')}
          hint={say('apiKeys.nameHint')}
          maxLength={200}
          value={wanted.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <SelectField
          label={say('apiKeys.ends')}
          value={wanted.days ?? 'never'}
          onChange={({ target }) => set({ days: target.value === 'never' ? null : Number(target.value) })}
          options={[
            ...LIFETIMES.map((days) => [String(days), say('apiKeys.afterDays', { n: days })] as const),
            ['never', say('apiKeys.endsNever')],
          ]}
        />
      </div>
      <Fields label={say('apiKeys.scopes')}>
        <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
          {(own as Scope[]).map((scope) => (
            <Tick
              key={scope}
              label={<span className="font-mono text-xs">{scope}</span>}
              hint={say(`scope.${scope}`)}
              checked={wanted.scopes.includes(scope)}
              onChange={() => toggle(scope)}
            />
          ))}
        </div>
      </Fields>
      <div className="grid gap-4 sm:grid-cols-2">
        {mayListGroups && (
          <Pick
            label={say('apiKeys.onlyGroups')}
            kind={GROUP_CHOICES}
            find={findGroups}
            chosen={wanted.groups}
            change={(groups) => set({ groups })}
          />
        )}
        {mayRead && (
          <Pick
            label={say('apiKeys.onlyTags')}
            kind="tags"
            find={findTags}
            chosen={wanted.tags}
            change={(tags) => set({ tags })}
          />
        )}
      </div>
    </FormDialog>
  );
}
