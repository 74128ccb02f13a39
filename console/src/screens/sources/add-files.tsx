import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { Link, useBlocker } from '@tanstack/react-router';
import { type DragEvent, lazy, Suspense, useMemo, useRef, useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { groupChoices } from '../../data/group-names.ts';
import { limitsOf } from '../../data/upload/limits.ts';
import type { StoredBatch } from '../../data/upload/upload.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Problem, Spinner } from '../../parts/layout.tsx';
import { takeKept, useKeep, useKept } from '../../shell/drafts.ts';
import { bytes, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import {
  folderOf,
  isGroupItself,
  nameOfUpload,
  pathsInGroup,
  planUpload,
  type UploadPlan,
  unreadOf,
} from './upload-plan.ts';
import { droppedFiles, type PickedFile, pickedFiles } from './use-dropped-files.ts';
import { useHeads } from './use-heads.ts';
import { useUpload } from './use-upload.ts';

const Previews = lazy(() => import('./previews.tsx').then((module) => ({ default: module.Previews })));

const EXCLUDED_SHOWN = 200;
/** Types of files that are shown at once. */
const ENDINGS_SHOWN = 12;

export function AddFiles({ given, close }: { given: PickedFile[]; close(): void }) {
  const [added, setAdded] = useState<PickedFile[]>(() => takeKept('upload.files') ?? []);
  const [name, setName] = useKept('upload.name', '');
  const [wantedGroup, setWantedGroup] = useKept('upload.group', '');
  /** Whether the folder of the files is the group itself; null while the reader has not chosen. */
  const [isGroup, setIsGroup] = useKept<boolean | null>('upload.folder', null);
  const upload = useUpload();
  const service = useQuery({
    queryKey: ['service'],
    queryFn: () => pinakes.getService(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const files = useMemo(() => [...given, ...added], [given, added]);
  const heads = useHeads(files);
  const plan = useMemo(() => {
    const facts = service.data;
    const readsPictures = !facts || facts.ocr_languages !== null;
    return planUpload(files, limitsOf(facts), (one) => unreadOf(heads?.get(one.file), readsPictures));
  }, [files, heads, service.data]);
  const isPlanning = heads === undefined || service.isPending;
  const { state } = upload;
  // What is stored is not offered again after the next sign-in.
  useKeep('upload.files', state.step === 'done' ? undefined : files);
  // Without this window nobody sees how far the files are, and a page that is closed or reloaded sends no more.
  const isSending = state.step === 'sending';
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: true, disabled: !isSending });
  const groups = useQuery(groupChoices('local_file'));
  // A group that was deleted meanwhile cannot be chosen any more: the form shows a new group then.
  const [groupId, nameOfGroup] = groups.data?.find(([id]) => id === wantedGroup) ?? [];
  const isUnknownGroup = wantedGroup !== '' && groups.isPending;
  const sent = plan.batches.flat();
  const usualName = nameOfUpload(sent);
  const groupName = nameOfGroup ?? (name.trim() || usualName);
  const folder = folderOf(sent);
  const leavesOut =
    ((groupId !== undefined ? isGroup : undefined) ?? isGroupItself(folder, groupName)) ? folder : undefined;
  const tooManyForGroup = groupId !== undefined && plan.batches.length > 1;
  const add = (more: PickedFile[]) => {
    upload.reset();
    setAdded((old) => [...old, ...more]);
  };
  const send = () => upload.start(plan, { name: groupName, groupId, leavesOut });

  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={(open) => !open && !isSending && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/25 dark:bg-black/55" />
        <Dialog.Popup className="pop fixed inset-x-4 top-[10vh] z-40 mx-auto flex max-h-[80vh] max-w-xl flex-col rounded-xl bg-raised shadow-2 outline-none">
          <div className="flex items-center gap-2 border-b border-line px-5 py-3.5">
            <Dialog.Title className="text-base font-semibold">{say('add.title')}</Dialog.Title>
            <Dialog.Close
              className="ms-auto"
              render={
                <Button look="ghost" icon="x" aria-label={say('action.close')} disabled={state.step === 'sending'} />
              }
            />
          </div>
          <div className="scroll min-h-0 px-5 py-4">
            {state.step === 'done' ? (
              <Done plan={plan} stored={state.stored} close={close} />
            ) : (
              <>
                {state.step !== 'sending' && <DropBox add={add} small={files.length > 0} />}
                {isPlanning && (
                  <div className="mt-4">
                    <Spinner label={say('add.checking')} />
                  </div>
                )}
                {!isPlanning && files.length > 0 && <PlanView plan={plan} />}
                {plan.files > 0 && state.step !== 'sending' && (
                  <Target
                    name={name}
                    usualName={usualName}
                    setName={setName}
                    groups={groups.data ?? []}
                    groupId={groupId ?? ''}
                    setGroupId={(id) => {
                      setWantedGroup(id);
                      setIsGroup(null);
                    }}
                  />
                )}
                {nameOfGroup !== undefined && folder !== undefined && state.step !== 'sending' && (
                  <FolderChoice
                    path={sent[0]!.path}
                    place={pathsInGroup(sent, leavesOut)[0]!}
                    group={nameOfGroup}
                    folder={folder}
                    isGroup={leavesOut !== undefined}
                    setIsGroup={setIsGroup}
                  />
                )}
                {tooManyForGroup && (
                  <div className="mt-3">
                    <Problem text={say('add.tooManyForGroup')} />
                  </div>
                )}
                {state.step === 'failed' && (
                  <div className="mt-3">
                    <Problem text={state.problem} />
                  </div>
                )}
                {state.step === 'sending' && <Progress sent={state.sentBytes} total={plan.bytes} />}
              </>
            )}
          </div>
          {state.step !== 'done' && (
            <div className="flex items-center justify-end gap-2 border-t border-line px-5 py-3.5">
              {state.step === 'sending' ? (
                <Button icon="circle-stop" onClick={upload.stop}>
                  {say('add.stop')}
                </Button>
              ) : (
                <>
                  <Dialog.Close render={<Button>{say('action.cancel')}</Button>} />
                  <Button
                    look="primary"
                    icon="upload"
                    disabled={plan.files === 0 || isPlanning || isUnknownGroup || tooManyForGroup}
                    onClick={send}
                  >
                    {plan.files === 0
                      ? say('add.action')
                      : say(state.step === 'failed' ? 'add.again' : 'add.send', { n: plan.files })}
                  </Button>
                </>
              )}
            </div>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function DropBox({ add, small }: { add(files: PickedFile[]): void; small: boolean }) {
  const [over, setOver] = useState(false);
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  function drop(event: DragEvent) {
    event.preventDefault();
    // The window has a handler of its own for drops outside of this box.
    event.stopPropagation();
    setOver(false);
    void droppedFiles(event.dataTransfer).then(add);
  }
  const inputs = (
    <>
      <input
        ref={fileInput}
        type="file"
        multiple
        hidden
        data-files
        onChange={(event) => add(pickedFiles(event.target.files ?? []))}
      />
      <input
        ref={folderInput}
        type="file"
        hidden
        {...{ webkitdirectory: '' }}
        onChange={(event) => add(pickedFiles(event.target.files ?? []))}
      />
      <Button icon="file-plus" onClick={() => fileInput.current?.click()}>
        {say('add.files')}
      </Button>
      <Button icon="folder-open" onClick={() => folderInput.current?.click()}>
        {say('add.folder')}
      </Button>
    </>
  );
  return (
    <section
      aria-label={say('add.drop')}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`flex items-center justify-center rounded-lg border border-dashed transition-colors ${over ? 'border-accent bg-accent-soft' : 'border-line-strong bg-sunken'} ${small ? 'gap-2 p-3' : 'flex-col gap-3 px-4 py-9'}`}
    >
      {!small && (
        <>
          <Icon name="upload" size={20} className="text-ink-3" />
          <div className="text-center">
            <p className="font-medium">{say('add.drop')}</p>
            <p className="mt-0.5 text-xs text-ink-3">{say('add.dropText')}</p>
          </div>
        </>
      )}
      <div className="flex gap-2">{inputs}</div>
    </section>
  );
}

function PlanView({ plan }: { plan: UploadPlan<PickedFile> }) {
  const [all, setAll] = useState(false);
  return (
    <div className="mt-4">
      <p className="num font-medium">
        {say('add.plan', { n: plan.files })} <span className="font-normal text-ink-3">· {bytes(plan.bytes)}</span>
      </p>
      <ul className="mt-2 flex flex-wrap gap-1.5" aria-label={say('add.types')}>
        {(all ? plan.endings : plan.endings.slice(0, ENDINGS_SHOWN)).map(({ ending, count }) => (
          <li key={ending} className="chip pe-2">
            <span className="num text-ink-3">{number(count)}</span>
            <span className="font-medium">{ending === '' ? say('add.noEnding') : ending}</span>
          </li>
        ))}
        {!all && plan.endings.length > ENDINGS_SHOWN && (
          <li>
            <Button look="ghost" size="small" onClick={() => setAll(true)}>
              {say('add.moreTypes', { n: plan.endings.length - ENDINGS_SHOWN })}
            </Button>
          </li>
        )}
      </ul>
      <Suspense>
        <Previews files={plan.batches.flat()} />
      </Suspense>
      {plan.batches.length > 1 && (
        <p className="mt-2 text-xs text-ink-3">{say('add.batches', { n: plan.batches.length })}</p>
      )}
      {plan.excluded.length > 0 && (
        <details className="mt-3 rounded-lg border border-line">
          <summary className="px-3 py-2 text-warn">{say('add.excluded', { n: plan.excluded.length })}</summary>
          <ul tabIndex={0} className="scroll max-h-40 border-t border-line px-3 py-2 text-xs">
            {plan.excluded.slice(0, EXCLUDED_SHOWN).map(({ file, why }) => (
              <li key={`${why}-${file.path}`} className="flex gap-3">
                <bdi className="min-w-0 truncate">{file.path}</bdi>
                <span className="ms-auto shrink-0 text-ink-3">{say(`add.why.${why}`)}</span>
              </li>
            ))}
            {plan.excluded.length > EXCLUDED_SHOWN && (
              <li className="text-ink-3">{say('add.moreExcluded', { n: plan.excluded.length - EXCLUDED_SHOWN })}</li>
            )}
          </ul>
        </details>
      )}
    </div>
  );
}

interface TargetProps {
  name: string;
  usualName: string;
  setName(name: string): void;
  groups: readonly (readonly [id: string, name: string])[];
  groupId: string;
  setGroupId(id: string): void;
}

function Target({ name, usualName, setName, groups, groupId, setGroupId }: TargetProps) {
  return (
    <div className="mt-4 grid gap-3 sm:grid-cols-2">
      <label className="block">
        <span className="mb-1 block text-xs text-ink-2">{say('add.group')}</span>
        <select value={groupId} onChange={(event) => setGroupId(event.target.value)} className="field h-8 w-full px-2">
          <option value="">{say('add.newGroup')}</option>
          {groups.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {groupId !== '' && <p className="self-end text-xs text-ink-3">{say('add.replaces')}</p>}
      {groupId === '' && (
        <label className="block">
          <span className="mb-1 block text-xs text-ink-2">{say('add.name')}</span>
          <input
            value={name}
            maxLength={200}
            placeholder={usualName}
            dir="auto"
            onChange={(event) => setName(event.target.value)}
            className="field h-8 w-full px-2"
          />
        </label>
      )}
    </div>
  );
}

interface FolderChoiceProps {
  /** The path of a file before and after. */
  path: string;
  place: string;
  group: string;
  folder: string;
  isGroup: boolean;
  setIsGroup(value: boolean): void;
}

/** Says where files of a folder go in a group that has files already, because they may replace some. */
function FolderChoice({ path, place, group, folder, isGroup, setIsGroup }: FolderChoiceProps) {
  return (
    <div className="mt-3 text-xs text-ink-2">
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={!isGroup} onChange={(event) => setIsGroup(!event.target.checked)} />
        {say('add.keepFolder', { folder })}
      </label>
      <p className="mt-1 text-ink-3">{say('add.place', { path, place, group })}</p>
    </div>
  );
}

function Progress({ sent, total }: { sent: number; total: number }) {
  const share = total === 0 ? 1 : sent / total;
  const sending = sent < total;
  return (
    <div className="mt-4">
      <div className="mb-1.5 flex text-xs text-ink-2" role="status">
        <span>{say(sending ? 'add.sending' : 'add.storing')}</span>
        <span className="num ms-auto text-ink-3">{say('add.sent', { sent: bytes(sent), total: bytes(total) })}</span>
      </div>
      <div
        role="progressbar"
        aria-label={say('add.sending')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
        className="h-1.5 overflow-hidden rounded-full bg-press"
      >
        <div
          className="h-full rounded-full bg-accent transition-[width] duration-100"
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}

function Done({ plan, stored, close }: { plan: UploadPlan<PickedFile>; stored: StoredBatch[]; close(): void }) {
  const [first] = stored;
  return (
    <div className="flex flex-col items-center py-6 text-center">
      <Icon name="circle-check" size={28} className="text-ok" />
      <p className="mt-3 text-base font-medium" role="status">
        {say('add.done', { n: plan.files })}
      </p>
      {first?.changes && <p className="mt-1 text-ink-2">{say('add.changes', first.changes)}</p>}
      <p className="mt-1 text-ink-3">{say('add.doneText')}</p>
      <div className="mt-4 flex gap-2">
        <Button onClick={close}>{say('action.close')}</Button>
        {stored.length === 1 && first && (
          <Link to="/sources" search={{ group: first.groupId }} className={buttonClass('primary')}>
            {say('add.show')}
          </Link>
        )}
      </div>
    </div>
  );
}
