/** The workspace behind the fake page API: pages, blocks, databases, files, and their form on the wire. */
import { createHash } from 'node:crypto';

export type Json = Record<string, unknown>;

export interface FakeBlock {
  id: string;
  type: string;
  content: Json;
  children: FakeBlock[];
  /** Error code that the API returns instead of the children of the block. */
  childrenStatus?: number;
}

export interface FakePage {
  id: string;
  title: string;
  /** The properties without the title. */
  properties: Record<string, Json>;
  parent: Json;
  blocks: FakeBlock[];
  created: Date;
  edited: Date;
  trashed: boolean;
  shared: boolean;
}

export interface FakeDatabase {
  id: string;
  title: string;
  parent: Json;
  sources: { id: string; name: string; rows: string[] }[];
  created: Date;
  edited: Date;
  trashed: boolean;
  shared: boolean;
}

export interface FakeFile {
  key: string;
  name: string;
  bytes: Uint8Array;
}

export const AUTHOR = { id: '11111111-1111-4111-8111-111111111111', name: 'Ada Example' };

let ids = 0;

/** Returns an id in the form of the workspace, the same in every process. */
export function fakeId(): string {
  ids += 1;
  const hex = createHash('sha256').update(`fake ${ids}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A run of rich text as the API sends it. */
export function text(content: string, annotations: Json = {}, href: string | null = null): Json {
  return {
    type: 'text',
    text: { content, link: href === null ? null : { url: href } },
    annotations: {
      bold: false,
      italic: false,
      strikethrough: false,
      underline: false,
      code: false,
      color: 'default',
      ...annotations,
    },
    plain_text: content,
    href,
  };
}

export function block(type: string, content: Json = {}, children: FakeBlock[] = []): FakeBlock {
  return { id: fakeId(), type, content, children };
}

/** A block that holds text: paragraph, heading, list item, … */
export function says(type: string, words: string, children: FakeBlock[] = [], more: Json = {}): FakeBlock {
  return block(type, { rich_text: words === '' ? [] : [text(words)], color: 'default', ...more }, children);
}

export function paragraph(words: string): FakeBlock {
  return says('paragraph', words);
}

export class FakeWorld {
  readonly pages = new Map<string, FakePage>();
  readonly databases = new Map<string, FakeDatabase>();
  readonly files = new Map<string, FakeFile>();
  readonly now: () => Date;
  /** Whether a page is edited when a page below it comes or goes. */
  touchesParents = true;
  fileUrl: (file: FakeFile) => string = ({ key }) => `https://files.example.test/${key}`;

  constructor(now: () => Date) {
    this.now = now;
  }

  /** Adds a page at the top level, or as the last block of `under` (a page, or a block of a page). */
  addPage(title: string, blocks: FakeBlock[] = [], under?: string): string {
    const id = fakeId();
    this.#insert(id, title, blocks, {}, this.#parentOf(under));
    if (under !== undefined) this.#hang({ id, type: 'child_page', content: { title }, children: [] }, under);
    return id;
  }

  /** `sources`: names of its data sources; one that is named like the database by default. */
  addDatabase(title: string, under?: string, sources: string[] = [title]): string {
    const id = fakeId();
    const [created, edited] = [this.now(), this.now()];
    this.databases.set(id, {
      id,
      title,
      parent: this.#parentOf(under),
      sources: sources.map((name) => ({ id: fakeId(), name, rows: [] })),
      created,
      edited,
      trashed: false,
      shared: true,
    });
    if (under !== undefined) this.#hang({ id, type: 'child_database', content: { title }, children: [] }, under);
    return id;
  }

  addRow(
    database: string,
    title: string,
    properties: Record<string, Json>,
    blocks: FakeBlock[] = [],
    source = 0,
  ): string {
    const { id: dataSource, rows } = this.database(database).sources[source]!;
    const id = fakeId();
    const parent = { type: 'data_source_id', data_source_id: dataSource, database_id: database };
    this.#insert(id, title, blocks, properties, parent);
    rows.push(id);
    return id;
  }

  /** A file of the workspace: content of a file, pdf, image, … block, or a member of a files property. */
  hostedFile(name: string, bytes: Uint8Array | string): Json {
    const key = `${fakeId()}/${encodeURIComponent(name)}`;
    this.files.set(key, { key, name, bytes: Buffer.from(bytes) });
    return { type: 'file', file: { key }, name, caption: [] };
  }

  /** Records that blocks of the page have changed. */
  edit(id: string, change: (page: FakePage) => void = () => {}): void {
    const page = this.page(id);
    change(page);
    page.edited = this.now();
  }

  rename(id: string, title: string): void {
    this.edit(id, (page) => {
      page.title = title;
    });
    const place = this.#blockOf(id);
    if (place) place.content = { title };
  }

  /** As the app does: it is no more in the page above, whose time of the last edit changes. */
  trash(id: string): void {
    const object = this.pages.get(id) ?? this.database(id);
    object.trashed = true;
    object.edited = this.now();
    this.#unhang(id);
  }

  move(id: string, under: string): void {
    this.#unhang(id);
    const object = this.pages.get(id) ?? this.database(id);
    object.parent = this.#parentOf(under);
    const type = this.pages.has(id) ? 'child_page' : 'child_database';
    this.#hang({ id, type, content: { title: object.title }, children: [] }, under);
  }

  page(id: string): FakePage {
    const page = this.pages.get(id);
    if (!page) throw new Error(`no page ${id}`);
    return page;
  }

  database(id: string): FakeDatabase {
    const database = this.databases.get(id);
    if (!database) throw new Error(`no database ${id}`);
    return database;
  }

  findBlock(id: string): { block: FakeBlock; page: FakePage } | undefined {
    for (const page of this.pages.values()) {
      const found = findIn(page.blocks, id);
      if (found) return { block: found, page };
    }
    return undefined;
  }

  wirePage(page: FakePage): Json {
    const title = { id: 'title', type: 'title', title: page.title === '' ? [] : [text(page.title)] };
    const names = Object.keys(page.properties).length === 0 ? 'title' : 'Name';
    return {
      object: 'page',
      id: page.id,
      ...this.#dates(page),
      cover: null,
      icon: null,
      parent: page.parent,
      properties: { ...this.#withUrls(page.properties), [names]: title },
      url: `https://www.notion.so/${page.title.replace(/\W+/g, '-')}-${page.id.replaceAll('-', '')}`,
      public_url: null,
    };
  }

  wireDatabase(database: FakeDatabase): Json {
    return {
      object: 'database',
      id: database.id,
      ...this.#dates(database),
      title: [text(database.title)],
      description: [],
      parent: database.parent,
      is_inline: false,
      is_locked: false,
      icon: null,
      cover: null,
      data_sources: database.sources.map(({ id, name }) => ({ id, name })),
      url: `https://www.notion.so/${database.id.replaceAll('-', '')}`,
      public_url: null,
    };
  }

  wireDataSource(database: FakeDatabase, source: { id: string; name: string }): Json {
    return {
      object: 'data_source',
      id: source.id,
      ...this.#dates(database),
      title: [text(source.name)],
      description: [],
      parent: { type: 'database_id', database_id: database.id },
      database_parent: database.parent,
      properties: { Name: { id: 'title', name: 'Name', type: 'title', title: {} } },
      icon: null,
      cover: null,
    };
  }

  wireBlock(block: FakeBlock, page: FakePage): Json {
    const child = block.type === 'child_page' ? this.pages.get(block.id) : this.databases.get(block.id);
    const hasChildren = child === undefined ? block.children.length > 0 || block.childrenStatus !== undefined : true;
    return {
      object: 'block',
      id: block.id,
      parent: { type: 'page_id', page_id: page.id },
      ...this.#dates(child ?? page),
      has_children: hasChildren,
      type: block.type,
      [block.type]: this.#withUrls(block.content),
    };
  }

  #dates(object: { created: Date; edited: Date; trashed: boolean }): Json {
    return {
      created_time: wholeMinute(object.created),
      last_edited_time: wholeMinute(object.edited),
      created_by: { object: 'user', id: AUTHOR.id },
      last_edited_by: { object: 'user', id: AUTHOR.id },
      archived: object.trashed,
      in_trash: object.trashed,
    };
  }

  /** Every answer has newly signed addresses of files. */
  #withUrls<T>(value: T): T {
    if (Array.isArray(value)) return value.map((one) => this.#withUrls(one)) as T;
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
      const file = name === 'file' ? this.files.get((member as { key?: string })?.key ?? '') : undefined;
      if (file === undefined) return [name, this.#withUrls(member)];
      const expiry = new Date(this.now().getTime() + 3_600_000).toISOString();
      return [name, { url: this.fileUrl(file), expiry_time: expiry }];
    });
    return Object.fromEntries(entries) as T;
  }

  #insert(id: string, title: string, blocks: FakeBlock[], properties: Record<string, Json>, parent: Json): void {
    const [created, edited] = [this.now(), this.now()];
    this.pages.set(id, { id, title, properties, parent, blocks, created, edited, trashed: false, shared: true });
  }

  #parentOf(under: string | undefined): Json {
    if (under === undefined) return { type: 'workspace', workspace: true };
    return this.pages.has(under) ? { type: 'page_id', page_id: under } : { type: 'block_id', block_id: under };
  }

  #hang(child: FakeBlock, under: string): void {
    const page = this.pages.get(under);
    const found = page ? { block: { children: page.blocks }, page } : this.findBlock(under);
    if (!found) throw new Error(`nothing ${under}`);
    found.block.children.push(child);
    if (this.touchesParents) found.page.edited = this.now();
  }

  #unhang(id: string): void {
    for (const page of this.pages.values())
      if (removeFrom(page.blocks, id) && this.touchesParents) page.edited = this.now();
    for (const { sources } of this.databases.values())
      for (const source of sources) source.rows = source.rows.filter((row) => row !== id);
  }

  #blockOf(id: string): FakeBlock | undefined {
    return this.findBlock(id)?.block;
  }
}

function wholeMinute(date: Date): string {
  return new Date(Math.floor(date.getTime() / 60_000) * 60_000).toISOString();
}

function findIn(blocks: readonly FakeBlock[], id: string): FakeBlock | undefined {
  for (const one of blocks) {
    const found = one.id === id ? one : findIn(one.children, id);
    if (found) return found;
  }
  return undefined;
}

function removeFrom(blocks: FakeBlock[], id: string): boolean {
  const index = blocks.findIndex((one) => one.id === id);
  if (index !== -1) blocks.splice(index, 1);
  return index !== -1 || blocks.some((one) => removeFrom(one.children, id));
}
