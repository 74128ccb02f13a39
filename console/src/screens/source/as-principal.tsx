import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useScope, useSession } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';
import type { useChunks } from './use-chunks.ts';

const SUGGESTED = 20;
const PRINCIPAL_LENGTH_MAX = 256;
const POLICY_PATTERN = '[a-z][a-z0-9_\\-]{0,63}';

interface Seen {
  principal: string | undefined;
  policy: string | undefined;
}

/** Chooses whose view of the source is shown. */
export function SeeAs({ principal, policy }: Seen) {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={buttonClass('ghost')}>
        <Icon name="users" size={14} />
        {say('source.seeAs')}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-40">
          <Popover.Popup
            aria-label={say('source.seeAs')}
            className="pop w-80 rounded-lg bg-raised p-3 shadow-2 outline-none"
          >
            <SeeAsForm principal={principal} policy={policy} close={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function SeeAsForm({ principal, policy, close }: Seen & { close(): void }) {
  const navigate = useNavigate({ from: '/sources/$id' });
  const mayList = useScope('authz:grant');
  const [who, setWho] = useState(principal ?? '');
  const [by, setBy] = useState(policy ?? '');
  const [subjects, policies] = [useId(), useId()];
  const q = who.trim();
  const known = useQuery({
    queryKey: ['subjects', 'suggested', q],
    queryFn: () => pinakes.listSubjects({ query: { limit: SUGGESTED, order: 'desc', ...(q !== '' && { q }) } }),
    enabled: mayList,
  });
  const named = useQuery({
    queryKey: ['policies', 'names'],
    queryFn: () => pinakes.listPolicies({ query: { limit: SUGGESTED } }),
    enabled: mayList,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    close();
    void navigate({ search: (old) => ({ ...old, as: q || undefined, policy: by.trim() || undefined }) });
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        autoFocus
        label={say('source.asPrincipal')}
        list={subjects}
        maxLength={PRINCIPAL_LENGTH_MAX}
        value={who}
        onChange={(event) => setWho(event.target.value)}
      />
      <datalist id={subjects}>
        {known.data?.subjects.map((subject) => (
          <option key={subject.principal_id} value={subject.principal_id} />
        ))}
      </datalist>
      <TextField
        label={say('source.asPolicy')}
        hint={say('source.asPolicyHint')}
        list={policies}
        pattern={POLICY_PATTERN}
        value={by}
        onChange={(event) => setBy(event.target.value)}
      />
      <datalist id={policies}>
        {named.data?.policies.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div className="flex justify-end">
        <Button type="submit" look="primary" disabled={q === '' && by.trim() === ''}>
          {say('source.asShow')}
        </Button>
      </div>
    </form>
  );
}

/** Says whose view is shown, how much of the source that is, and which rule decided. */
export function AsBanner({
  id,
  principal,
  policy,
  chunks,
}: Seen & { id: string; chunks: ReturnType<typeof useChunks> }) {
  const navigate = useNavigate({ from: '/sources/$id' });
  const { authorization } = useSession();
  const mayExplain = useScope('authz:grant');
  const explained = useQuery({
    queryKey: ['explain', id, principal, policy],
    queryFn: () =>
      pinakes.explainAccess({
        body: {
          source_id: id,
          ...(principal !== undefined && { principal_id: principal }),
          ...(policy !== undefined && { authz_policy: policy }),
        },
      }),
    enabled: mayExplain,
  });
  const allowed = explained.data?.allowed;
  const rule = explained.data?.matched_rule;
  return (
    <div
      role="status"
      className="flex shrink-0 items-start gap-2.5 border-b border-line bg-accent-soft px-4 py-2 text-accent-ink"
    >
      <Icon name="users" size={15} className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">
          {say('source.seenAs', { principal: principal ?? say('source.asNobody'), policy: policy ?? 'default' })}
        </p>
        <p className="text-ink-2">
          {authorization
            ? !chunks.isPending && say('source.asSees', { n: chunks.total })
            : say(allowed === undefined ? 'source.asOff' : allowed ? 'source.asOffShown' : 'source.asOffHidden')}
          {typeof rule === 'string' && <> {say('source.asRule', { rule: rule || say('source.asWholePolicy') })}</>}
          {rule === null && <> {say('source.asNoPolicy')}</>}
        </p>
      </div>
      <Button
        look="ghost"
        size="small"
        onClick={() => navigate({ search: (old) => ({ ...old, as: undefined, policy: undefined }) })}
      >
        {say('source.asLeave')}
      </Button>
    </div>
  );
}
