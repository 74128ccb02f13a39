/**
 * A group that follows a scripted origin: each test gets a new group, and its invariants are checked afterwards.
 */
import { after, afterEach, before, beforeEach } from 'node:test';
import { type ConnectorWorld, openConnectorWorld } from './connector-world.ts';

export let world: ConnectorWorld;
export let groupId: string;

/** Registers the hooks of a test file. */
export function setUpOriginGroup(): void {
  before(async () => {
    world = await openConnectorWorld();
  });
  after(() => world.close());
  beforeEach(async () => {
    const { origin } = world;
    origin.files.clear();
    origin.script = undefined;
    origin.onFetch = async () => undefined;
    groupId = await world.makeGroup();
  });
  afterEach(async () => {
    await world.assertSound();
    await world.service.delete(`/source-groups/${groupId}`);
  });
}

/** Replaces the group that is checked and deleted at the end. */
export function useGroup(id: string): void {
  groupId = id;
}

export const figures = (changes: Partial<Record<string, number>>) => ({
  scanned: 0,
  added: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  deleted: 0,
  failed: 0,
  ...changes,
});

export function put(id: string, name: string, content: string | Uint8Array): void {
  world.origin.files.set(id, { ...world.origin.files.get(id), name, content });
}

export async function fetchedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const before = world.origin.fetched.length;
  await work();
  return world.origin.fetched.slice(before).sort();
}
