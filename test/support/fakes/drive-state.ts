/** The files, folders and change logs of a fake Drive, and the changes that a person makes. */
import { createHash } from 'node:crypto';

export const FOLDER = 'application/vnd.google-apps.folder';
export const SHORTCUT = 'application/vnd.google-apps.shortcut';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';

/** The types to which Google exports its own documents. */
export const EXPORTABLE: Readonly<Record<string, readonly string[]>> = {
  'application/vnd.google-apps.document': ['text/markdown', 'text/plain', 'text/html', 'application/pdf', DOCX],
  'application/vnd.google-apps.spreadsheet': ['text/csv', 'application/pdf', XLSX],
  'application/vnd.google-apps.presentation': ['text/plain', 'application/pdf', PPTX],
  'application/vnd.google-apps.drawing': ['image/png', 'image/svg+xml', 'application/pdf'],
};

export interface FakeFile {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
  trashed: boolean;
  driveId: string | null;
  content: Buffer | null;
  /** Exports of a document of Google's own: type -> bytes. */
  exports: Record<string, Buffer>;
  version: number;
  created: Date;
  modified: Date;
  canDownload: boolean;
  abusive: boolean;
  /** `hidden`: not shared with the service account. `unreadable`: listed, but its bytes are refused. */
  access: 'ok' | 'hidden' | 'unreadable';
  /** Requests without this key do not find the file. */
  resourceKey: string | null;
  targetId: string | null;
  /** The reported size, if it differs from the size of the content. */
  claimedBytes: number | null;
}

export type FileOptions = Partial<
  Pick<
    FakeFile,
    | 'claimedBytes'
    | 'mimeType'
    | 'canDownload'
    | 'abusive'
    | 'access'
    | 'resourceKey'
    | 'driveId'
    | 'created'
    | 'modified'
    | 'parents'
  >
>;

export class DriveState {
  readonly files = new Map<string, FakeFile>();
  /** The shared drives; true where the service account is a member. */
  readonly drives = new Map<string, boolean>();
  /** Change log -> ids of files in the order of their changes. '' is the log of the service account. */
  readonly logs = new Map<string, string[]>([['', []]]);
  /** Entries of a log before this number are deleted. */
  oldestToken = 1;
  #made = 0;
  #minutes = 0;
  readonly root: string;

  constructor() {
    this.root = this.#add({ name: 'Handbook', mimeType: FOLDER, parents: ['0AFakeMyDriveRootPVA'] }).id;
  }

  addFolder(parent: string, name: string, options: FileOptions = {}): string {
    return this.#add({ ...options, name, mimeType: FOLDER, parents: [parent] }).id;
  }

  addFile(parent: string, name: string, content: string | Buffer, options: FileOptions = {}): string {
    const bytes = Buffer.from(content);
    return this.#add({ mimeType: 'text/plain', parents: [parent], ...options, name, content: bytes }).id;
  }

  /** @param kind `document`, `spreadsheet`, `form`, … @param exports type -> content. */
  addGoogle(
    parent: string,
    name: string,
    kind: string,
    exports: Record<string, string | Buffer>,
    options: FileOptions = {},
  ): string {
    const mimeType = `application/vnd.google-apps.${kind}`;
    return this.#add({ ...options, name, mimeType, parents: [parent], exports: toBuffers(exports) }).id;
  }

  addShortcut(parent: string, name: string, targetId: string): string {
    return this.#add({ name, mimeType: SHORTCUT, parents: [parent], targetId }).id;
  }

  /** A shared drive; its id is that of its root folder. */
  addDrive(name: string, isMember = true): string {
    const id = this.#newId('0A').slice(0, 19);
    this.drives.set(id, isMember);
    this.logs.set(id, []);
    this.#add({ id, name, mimeType: FOLDER, parents: [], driveId: id });
    return id;
  }

  edit(id: string, content: string | Buffer | Record<string, string | Buffer>): void {
    const file = this.get(id);
    if (typeof content === 'string' || Buffer.isBuffer(content)) file.content = Buffer.from(content);
    else file.exports = toBuffers(content);
    file.modified = this.#tick();
    this.touch(id);
  }

  rename(id: string, name: string): void {
    this.get(id).name = name;
    this.touch(id);
  }

  move(id: string, parent: string): void {
    this.get(id).parents = [parent];
    this.touch(id);
  }

  trash(id: string, trashed = true): void {
    this.get(id).trashed = trashed;
    this.touch(id);
  }

  /** Deletes without the trash. The contents of a folder are deleted without change log entries of their own. */
  remove(id: string): void {
    this.touch(id);
    const remove = (one: string): void => {
      this.files.delete(one);
      for (const child of [...this.files.values()]) if (child.parents.includes(one)) remove(child.id);
    };
    remove(id);
  }

  share(id: string, access: FakeFile['access']): void {
    this.get(id).access = access;
    this.touch(id);
  }

  /** Writes a change log entry without a visible change. */
  touch(id: string): void {
    const file = this.get(id);
    file.version++;
    this.logs.get(file.driveId ?? '')?.push(id);
  }

  get(id: string): FakeFile {
    const file = this.files.get(id);
    if (!file) throw new Error(`the fake has no file ${id}`);
    return file;
  }

  isTrashed(file: FakeFile): boolean {
    return file.trashed || file.parents.some((id) => this.files.has(id) && this.isTrashed(this.get(id)));
  }

  isVisible(file: FakeFile, resourceKeys: ReadonlyMap<string, string>): boolean {
    if (file.access === 'hidden') return false;
    if (file.resourceKey !== null && resourceKeys.get(file.id) !== file.resourceKey) return false;
    return !this.#isBelowHidden(file);
  }

  #isBelowHidden(file: FakeFile): boolean {
    return file.parents.some((id) => {
      const parent = this.files.get(id);
      return parent !== undefined && (parent.access === 'hidden' || this.#isBelowHidden(parent));
    });
  }

  /** The file as the API returns it. */
  resource(file: FakeFile): Record<string, unknown> {
    const target = file.targetId === null ? undefined : this.files.get(file.targetId);
    // The API does not name parents that are not shared.
    const parents = file.parents.filter((id) => this.files.has(id) && this.get(id).access !== 'hidden');
    const person = { kind: 'drive#user', displayName: 'Ann Example', emailAddress: 'ann@example.com', me: false };
    return {
      kind: 'drive#file',
      id: file.id,
      name: file.name,
      mimeType: file.mimeType,
      ...(parents.length > 0 ? { parents } : {}),
      trashed: this.isTrashed(file),
      explicitlyTrashed: file.trashed,
      version: String(file.version),
      createdTime: file.created.toISOString(),
      modifiedTime: file.modified.toISOString(),
      webViewLink: `https://drive.google.com/file/d/${file.id}/view?usp=drivesdk`,
      lastModifyingUser: person,
      capabilities: { canDownload: file.canDownload, canEdit: false },
      ...(file.driveId === null
        ? { owners: [person], ownedByMe: false }
        : { driveId: file.driveId, teamDriveId: file.driveId }),
      ...(file.resourceKey === null ? {} : { resourceKey: file.resourceKey }),
      ...(file.content === null
        ? {}
        : {
            size: String(file.claimedBytes ?? file.content.length),
            md5Checksum: createHash('md5').update(file.content).digest('hex'),
            headRevisionId: `rev-${createHash('md5').update(file.content).digest('base64url')}`,
            originalFilename: file.name,
          }),
      ...(EXPORTABLE[file.mimeType] ? { size: '1024' } : {}),
      ...(file.targetId === null
        ? {}
        : {
            shortcutDetails: {
              targetId: file.targetId,
              targetMimeType: target?.mimeType ?? 'text/plain',
              ...(target?.resourceKey ? { targetResourceKey: target.resourceKey } : {}),
            },
          }),
    };
  }

  #add(given: Partial<FakeFile> & Pick<FakeFile, 'name' | 'mimeType' | 'parents'>): FakeFile {
    const parent = this.files.get(given.parents[0] ?? '');
    const now = this.#tick();
    const file: FakeFile = {
      id: this.#newId('1'),
      trashed: false,
      driveId: parent?.driveId ?? null,
      content: null,
      exports: {},
      version: 0,
      created: now,
      modified: now,
      canDownload: true,
      abusive: false,
      access: 'ok',
      resourceKey: null,
      targetId: null,
      claimedBytes: null,
      ...given,
    };
    this.files.set(file.id, file);
    this.touch(file.id);
    return file;
  }

  #newId(prefix: string): string {
    return (
      prefix +
      createHash('sha256')
        .update(String(this.#made++))
        .digest('base64url')
        .slice(0, 33 - prefix.length)
    );
  }

  #tick(): Date {
    return new Date(Date.UTC(2025, 0, 1, 0, this.#minutes++));
  }
}

function toBuffers(exports: Record<string, string | Buffer>): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(exports).map(([type, content]) => [type, Buffer.from(content)]));
}
