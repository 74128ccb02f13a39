import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFile } from '../parse-file.ts';

const parse = (name: string, value: unknown) => {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return parseFile('json', bytes, { name, size: bytes.length, chunkMetadataKeys: [] });
};
const BOARD = {
  nodes: [
    { id: 'b', type: 'file', file: 'Project Falcon.md', x: 300, y: 0 },
    { id: 'c', type: 'link', url: 'https://a.example', x: 0, y: 300 },
    { id: 'a', type: 'text', text: '# Launch\n\nPilot in Oslo first', x: 0, y: 0 },
    { id: 'd', type: 'group', label: 'Second half', x: 0, y: 900 },
  ],
  edges: [
    { id: 'e', fromNode: 'a', toNode: 'b', label: 'depends on' },
    { id: 'f', fromNode: 'b', toNode: 'c' },
  ],
};

test('a board is the texts of its cards in reading order, with the named connections', async () => {
  const { text, blocks, fileType } = await parse('Launch.canvas', BOARD);
  assert.equal(
    text,
    '# Launch\n\nPilot in Oslo first\n\nProject Falcon.md\n\nhttps://a.example\n\nSecond half\n\nLaunch → depends on → Project Falcon.md',
  );
  assert.deepEqual([blocks.length, fileType], [5, 'json']);
});

test('a canvas without cards, and a JSON file with nodes, are read as any other JSON', async () => {
  assert.match((await parse('a.canvas', { nodes: [], title: 'Empty' })).text, /title: Empty/);
  const graph = { title: 'Report', nodes: [{ id: '1', label: 'Start', data: { body: 'Important text' } }] };
  assert.match((await parse('a.canvas', graph)).text, /title: Report[\s\S]*Important text/);
  assert.match((await parse('graph.json', BOARD)).text, /fromNode: a/);
});

test('a drawing is its texts in reading order', async () => {
  const elements = [
    { id: 'box', type: 'rectangle', y: 0 },
    { id: 'b', type: 'text', text: 'Ledger', y: 200 },
    { id: 'a', type: 'text', text: 'Payment\ngateway', containerId: 'box', y: 0 },
    { id: 'c', type: 'text', text: 'Old', isDeleted: true, y: 300 },
  ];
  const frames = [
    { id: 'f', type: 'frame', name: 'Billing', y: -10 },
    { id: 'g', type: 'frame', name: null, y: -20 },
  ];
  const drawing = { type: 'excalidraw', elements: [...elements, ...frames], appState: { gridSize: 20 } };
  assert.equal((await parse('Plan.excalidraw', drawing)).text, 'Billing\n\nPayment\ngateway\n\nLedger');
});
