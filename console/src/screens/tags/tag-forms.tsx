import { pinakes } from '../../data/api.ts';
import { TAGS, type Tag } from '../../data/tags.ts';
import { DeleteDialog, FormDialog } from '../../parts/dialog.tsx';
import { DescriptionField, NameField } from '../../parts/form.tsx';
import { useChange } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';

/** Creates a tag, or renames and describes one. */
export function EditTag({ tag, close }: { tag?: Tag; close(): void }) {
  const draft = `tag.${tag?.id ?? 'new'}`;
  const [name, setName] = useKept(`${draft}.name`, tag?.name ?? '');
  const [description, setDescription] = useKept(`${draft}.description`, tag?.description ?? '');
  const save = useChange({
    run: () => {
      const body = { name: name.trim(), description };
      return tag ? pinakes.updateTag({ params: { id: tag.id }, body }) : pinakes.createTag({ body });
    },
    keys: [[TAGS]],
    done: close,
  });
  return (
    <FormDialog
      title={say(tag ? 'tags.edit' : 'tags.create')}
      action={say(tag ? 'action.save' : 'tags.create')}
      {...save}
      disabled={name.trim() === ''}
      close={close}
    >
      <NameField value={name} change={setName} />
      <DescriptionField value={description} change={setDescription} />
    </FormDialog>
  );
}

export function DeleteTag({ tag: { id, name }, close }: { tag: Tag; close(): void }) {
  return (
    <DeleteDialog
      title={say('tags.deleteTitle', { name })}
      text={say('tags.deleteText')}
      remove={() => pinakes.deleteTag({ params: { id } })}
      keys={[[TAGS]]}
      close={close}
    />
  );
}
