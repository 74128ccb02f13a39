import { Link } from '@tanstack/react-router';
import { findTags } from '../../data/keys.ts';
import { byGroup, type SourceRow, tagGroups } from '../../data/sources.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Pick } from '../../parts/pick.tsx';
import { useChange } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';
import { SOURCE_LIST } from './use-source-list.ts';

interface TagSourcesProps {
  rows: readonly SourceRow[];
  /** Whether the tags are given or taken. */
  linked: boolean;
  done(): void;
  close(): void;
}

/** Gives tags to the selected sources, or takes them. Tags belong to groups, so all sources of their groups change. */
export function TagSources({ rows, linked, done, close }: TagSourcesProps) {
  const [chosen, setChosen] = useKept<ReadonlyMap<string, string>>('sources.tags', new Map());
  const groups = byGroup(rows);
  const change = useChange({
    run: () => tagGroups(rows, chosen.keys(), linked),
    keys: [[SOURCE_LIST], ['tags']],
    done,
  });
  return (
    <FormDialog
      {...change}
      title={say(linked ? 'tagging.add' : 'tagging.remove')}
      text={say('tagging.text', { n: groups.size })}
      action={say(linked ? 'tagging.addAction' : 'tagging.removeAction')}
      icon="tag"
      disabled={chosen.size === 0}
      close={close}
    >
      <Pick
        label={say('tags.title')}
        kind="tags"
        find={findTags}
        chosen={chosen}
        change={setChosen}
        none={linked && <NoTags />}
      />
      <ul
        aria-label={say('tagging.groups')}
        className="scroll max-h-32 rounded-lg border border-line bg-sunken px-3 py-2"
        tabIndex={0}
      >
        {[...groups].map(([id, [first]]) => (
          <li key={id} className="truncate">
            <bdi>{first?.source_group_name || say('sources.withheld')}</bdi>
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}

function NoTags() {
  return (
    <>
      {say('tagging.none')}{' '}
      <Link to="/tags" className="text-accent-ink underline">
        {say('tags.title')}
      </Link>
      .
    </>
  );
}
