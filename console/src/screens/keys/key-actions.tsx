import { useQueryClient } from '@tanstack/react-query';
import { pinakes } from '../../data/api.ts';
import { type ApiKey, type IssuedKey, KEYS } from '../../data/keys.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useChange, useMutation } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { useSession } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';

const HOUR_SECONDS = 3_600;
const GRACES = [
  [0, 'apiKeys.grace.none'],
  [HOUR_SECONDS, 'apiKeys.grace.hour'],
  [24 * HOUR_SECONDS, 'apiKeys.grace.day'],
  [7 * 24 * HOUR_SECONDS, 'apiKeys.grace.week'],
] as const;

interface ActionProps {
  row: ApiKey;
  close(): void;
}

export function RotateKey({ row, close, done }: ActionProps & { done(issued: IssuedKey): void }) {
  const queries = useQueryClient();
  const [grace, setGrace] = useKept<number>(`key.${row.id}.grace`, 24 * HOUR_SECONDS);
  const rotate = useMutation({
    mutationFn: () => pinakes.rotateApiKey({ params: { id: row.id }, body: { grace_seconds: grace } }),
    onSuccess(issued) {
      void queries.invalidateQueries({ queryKey: [KEYS] });
      done(issued);
    },
  });
  return (
    <FormDialog
      title={say('apiKeys.rotateTitle', { name: row.name })}
      text={say('apiKeys.rotateText')}
      action={say('apiKeys.rotate')}
      icon="rotate-ccw"
      pending={rotate.isPending}
      error={rotate.error}
      close={close}
      submit={() => rotate.mutate()}
    >
      <SelectField
        label={say('apiKeys.grace')}
        value={String(grace)}
        onChange={(event) => setGrace(Number(event.target.value))}
        options={GRACES.map(([seconds, words]) => [String(seconds), say(words)] as const)}
      />
      <OwnKey row={row} />
    </FormDialog>
  );
}

export function RevokeKey({ row, close }: ActionProps) {
  const revoke = useChange({
    run: () => pinakes.revokeApiKey({ params: { id: row.id } }),
    keys: [[KEYS]],
    done: close,
  });
  return (
    <FormDialog
      title={say('apiKeys.revokeTitle', { name: row.name })}
      text={say('apiKeys.revokeText')}
      action={say('apiKeys.revoke')}
      icon="ban"
      {...revoke}
      close={close}
    >
      <OwnKey row={row} />
    </FormDialog>
  );
}

/** Says that the key is the one of this session, which ends with the key. */
function OwnKey({ row }: { row: ApiKey }) {
  if (useSession().api_key_id !== row.id) return null;
  return (
    <p className="flex items-start gap-2 text-warn">
      <Icon name="triangle-alert" size={15} className="mt-0.5" />
      {say('apiKeys.ownWarning')}
    </p>
  );
}
