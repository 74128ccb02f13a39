import { useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { useGroupNames } from '../../data/group-names.ts';
import { Button } from '../../parts/button.tsx';
import { DeleteDialog } from '../../parts/dialog.tsx';
import { say } from '../../words/words.ts';
import { SOURCE_LIST } from './use-source-list.ts';

/** The button that deletes the group to which the list is narrowed, with all its sources. */
export function DeleteGroup({ id, gone }: { id: string; gone(): void }) {
  const [asked, setAsked] = useState(false);
  const name = useGroupNames([id]).get(id) ?? '';
  return (
    <>
      <Button look="ghost" icon="trash-2" onClick={() => setAsked(true)}>
        {say('delete.group')}
      </Button>
      {asked && (
        <DeleteDialog
          title={say('delete.groupTitle', { name })}
          text={say('delete.groupText')}
          remove={async () => {
            await pinakes.deleteSourceGroup({ params: { id } });
            gone();
          }}
          keys={[[SOURCE_LIST]]}
          close={() => setAsked(false)}
        />
      )}
    </>
  );
}
