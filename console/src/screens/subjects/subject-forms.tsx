import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { pinakes } from '../../data/api.ts';
import { type Attributes, declaredTypes, POLICIES, readPolicies, SUBJECTS, type Subject } from '../../data/policies.ts';
import { JsonEditor } from '../../json/json-editor.tsx';
import { faultIn, isIn } from '../../json/json-fault.ts';
import { readJson } from '../../json/json-places.ts';
import { DeleteDialog, FormDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { useChange } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';

/** Sets the attributes of a principal. The types that policies declare stand below the editor. */
export function EditSubject({ subject, close }: { subject?: Subject; close(): void }) {
  const draft = `subject.${subject?.principal_id ?? 'new'}`;
  const [id, setId] = useKept(`${draft}.id`, subject?.principal_id ?? '');
  const [text, setText] = useKept(
    `${draft}.attributes`,
    subject ? JSON.stringify(subject.attributes, null, 2) : '{\n  "department": ""\n}',
  );
  const [expires, setExpires] = useKept(`${draft}.expires`, subject?.expires_time ? toLocal(subject.expires_time) : '');
  const policies = useQuery({ queryKey: [POLICIES], queryFn: ({ signal }) => readPolicies(signal) });
  const types = declaredTypes(policies.data ?? []);
  const { reset, ...save } = useChange({
    run: () =>
      pinakes.setSubject({
        params: { principal_id: id.trim() },
        body: {
          attributes: readJson(text).value as Attributes,
          expires_time: expires === '' ? null : Math.floor(new Date(expires).getTime() / 1000),
        },
      }),
    keys: [[SUBJECTS]],
    done: close,
  });
  const refusal = save.error && isIn(save.error, '/attributes') ? save.error : null;
  const fault = useMemo(() => faultIn(text, refusal, '/attributes'), [text, refusal]);
  return (
    <FormDialog
      wide
      title={say(subject ? 'subjects.edit' : 'subjects.create')}
      text={say('subjects.formText')}
      action={say('action.save')}
      {...save}
      error={refusal ? null : save.error}
      disabled={id.trim() === '' || (fault !== null && refusal === null)}
      close={close}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          autoFocus={!subject}
          label={say('policies.principal')}
          hint={say('subjects.principalHint')}
          readOnly={subject !== undefined}
          maxLength={256}
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <TextField
          type="datetime-local"
          label={say('apiKeys.ends')}
          hint={say('subjects.expiresHint')}
          value={expires}
          onChange={(event) => setExpires(event.target.value)}
        />
      </div>
      <div>
        <p className="mb-1 text-xs font-medium text-ink-2">{say('subjects.attributes')}</p>
        <div className="flex h-44 flex-col gap-2">
          <JsonEditor
            label={say('subjects.attributes')}
            value={text}
            change={(next) => {
              reset();
              setText(next);
            }}
            fault={fault}
          />
        </div>
        <p className="mt-1 text-xs text-ink-3">{say('subjects.attributesHint')}</p>
      </div>
      {types.length > 0 && (
        <div>
          <p className="mb-1 text-xs font-medium text-ink-2">{say('subjects.types')}</p>
          <ul className="flex flex-wrap gap-1.5">
            {types.map(([name, type]) => (
              <li key={name} className="chip pe-2">
                <bdi>{name}</bdi> <span className="text-ink-3">{type}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}

export function DeleteSubject({ subject: { principal_id: id }, close }: { subject: Subject; close(): void }) {
  return (
    <DeleteDialog
      title={say('subjects.deleteTitle', { name: id })}
      text={say('subjects.deleteText')}
      remove={() => pinakes.deleteSubject({ params: { principal_id: id } })}
      keys={[[SUBJECTS]]}
      close={close}
    />
  );
}

/** Returns a time as a field for dates and times holds it: without a zone. */
function toLocal(seconds: number): string {
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
