/** Defines the nodes of a walk (pages, databases, rows), and converts pages and files to items. Pure. */

import type { TypedMetadata } from '../../corpus/values.ts';
import { typedValue } from '../../files/metadata-values.ts';
import type { Change, OriginItem } from '../connector.ts';
import { unexpectedResponse } from './api.ts';
import { type FileRef, fileName } from './files.ts';
import { hyphenated, pageUrl } from './id.ts';
import { isRow, propertiesHash, propertyMetadata, titleOf } from './properties.ts';
import type { WireBlock, WirePage, WireProperty } from './wire.ts';

/** The workspace rounds the time of an edit down to the minute. Only after that minute does the time identify one version. */
const SETTLED_MS = 120_000;
/** Version of the rendering, part of every revision: a change makes every page be read once more. */
const RENDERING = 2;

export interface PageNode {
  kind: 'page';
  id: string;
  title: string;
  /** Titles of the parent pages and databases. */
  path: string[];
  url: string;
  createdAt: string | null;
  editedAt: string | null;
  authorId: string | null;
  /** Properties of a row. */
  properties?: Record<string, WireProperty>;
}

export interface DatabaseNode {
  kind: 'database';
  id: string;
  title: string;
  path: string[];
}

/**
 * One result page of the query of a data source. `since`: only rows created since then; `cursor`: where the query continues.
 */
export interface RowsNode {
  kind: 'rows';
  id: string;
  title: string;
  path: string[];
  since?: string;
  cursor?: string;
  /** The cursor had expired, and the query started again. */
  restarted?: true;
}

export type Node = PageNode | DatabaseNode | RowsNode;

/** Returns the revision of a page, or null while another edit may still get the same time. */
export function revisionOf(node: PageNode, now: Date): string | null {
  const edited = Date.parse(node.editedAt ?? '');
  if (!Number.isFinite(edited) || now.getTime() - edited < SETTLED_MS) return null;
  const parts = [RENDERING, node.editedAt, node.title];
  if (isRow(node.properties)) parts.push(propertiesHash(node.properties));
  return JSON.stringify(parts);
}

export function pageItem(node: PageNode, author: string | undefined, revision: string | null): OriginItem {
  const base: TypedMetadata = {};
  const set = (key: string, value: string, type: 'string' | 'datetime') => {
    const typed = typedValue(value, type);
    if (typed) base[key] = typed;
  };
  set('title', node.title, 'string');
  set('path', node.path.join(' / '), 'string');
  set('author', author ?? '', 'string');
  set('created', node.createdAt ?? '', 'datetime');
  const edited = Date.parse(node.editedAt ?? '');
  return {
    originId: node.id,
    name: fileName(`${node.title}.md`),
    url: node.url,
    revision,
    modifiedAt: Number.isFinite(edited) ? new Date(edited) : null,
    metadata: isRow(node.properties) ? propertyMetadata(node.properties, base) : base,
    locator: { page: node.id },
  };
}

export function* filesOf(page: OriginItem, files: readonly FileRef[]): Generator<Change> {
  for (const { id: originId, name, revision, media, ...locator } of files) {
    if (media) {
      yield { kind: 'skipped', originId, name, reason: 'Pictures, films and sound are not read.' };
      continue;
    }
    const { path, author, title } = page.metadata;
    const metadata = {
      ...(author ? { author } : {}),
      path: { val: [path?.val, title?.val].filter(Boolean).join(' / '), type: 'string' as const },
    };
    const url = locator.block === undefined ? page.url : pageUrl(page.originId, locator.block);
    yield { kind: 'present', item: { originId, name, url, revision, modifiedAt: page.modifiedAt, metadata, locator } };
  }
}

export function childNode(block: WireBlock, parent: PageNode): Node {
  const path = [...parent.path, parent.title];
  const title = cleanTitle(typeof block.content.title === 'string' ? block.content.title : '');
  if (block.type === 'child_database') return { kind: 'database', id: block.id, title, path };
  return { kind: 'page', id: block.id, title, path, url: pageUrl(block.id), ...datesOf(block) };
}

export function pageNode(page: WirePage, path: string[]): PageNode {
  const { properties } = page;
  const id = uuidOf(page.id);
  return {
    kind: 'page',
    id,
    title: cleanTitle(titleOf(properties) ?? ''),
    path,
    url: page.url && URL.canParse(page.url) ? page.url : pageUrl(id),
    ...datesOf(page),
    ...(isRow(properties) ? { properties } : {}),
  };
}

function datesOf({ created_time, last_edited_time, created_by, last_edited_by }: Omit<WirePage, 'id'>) {
  return {
    createdAt: created_time ?? null,
    editedAt: last_edited_time ?? null,
    authorId: created_by?.id ?? last_edited_by?.id ?? null,
  };
}

/** Returns the hyphenated id. @throws OriginError when the value is not an id. */
export function uuidOf(id: unknown): string {
  const uuid = typeof id === 'string' ? hyphenated(id) : undefined;
  if (uuid === undefined) throw unexpectedResponse();
  return uuid;
}

export function cleanTitle(title: string): string {
  return title.replace(/\s+/g, ' ').trim() || 'Untitled';
}
