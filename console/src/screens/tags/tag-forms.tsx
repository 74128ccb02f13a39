import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { TAGS, type Tag } from '../../data/tags.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { say } from '../../words/words.ts';

/** Creates a tag, or renames and describes one. */
export function EditTag({ tag, close }: { tag?: Tag; close(): void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(tag?.name ?? '');
  const [description, setDescription] = useState(tag?.description ?? '');
  const save = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), description };
      return tag ? pinakes.updateTag({ params: { id: tag.id }, body }) : pinakes.createTag({ body });
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [TAGS] });
      close();
    },
  });
  return (
    <FormDialog
      title={say(tag ? 'tags.edit' : 'tags.create')}
      action={say(tag ? 'action.save' : 'tags.create')}
      pending={save.isPending}
      error={save.error}
      disabled={name.trim() === ''}
      close={close}
      submit={() => save.mutate()}
    >
      <TextField
        autoFocus
        label={say('column.name')}
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={say('column.description')}
        maxLength={1000}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  );
}

export function DeleteTag({ tag, close }: { tag: Tag; close(): void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => pinakes.deleteTag({ params: { id: tag.id } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [TAGS] });
      close();
    },
  });
  return (
    <FormDialog
      title={say('tags.deleteTitle', { name: tag.name })}
      text={say('tags.deleteText')}
      action={say('action.delete')}
      icon="trash-2"
      pending={remove.isPending}
      error={remove.error}
      close={close}
      submit={() => remove.mutate()}
    />
  );
}
