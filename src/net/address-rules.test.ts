import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressRules } from './address-rules.ts';

const PUBLIC = ['8.8.8.8', '93.184.216.34', '2606:4700::1111', '::ffff:8.8.8.8', '172.32.0.1', '100.128.0.1'];
const PRIVATE = [
  ...['127.0.0.1', '127.255.255.255', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...[
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
  ],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
  ],
  ...[
    '::ffff:127.0.0.1%lo',
    '::1%lo',
    '4000::1',
    '200::1',
    'fe00::1',
    '::fffe:7f00:1',
    '64:ff9b:1:ffff::1',
    '3fff::1',
    '5f00::1',
    '2001:20::1',
  ],
  ...['192.0.0.1', '192.88.99.1', '198.19.255.255', '::ffff:0:7f00:1', '2001:2::1', 'feff::1'],
  ...['fec0::1', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', '2001:db8::1', '100::1'],
];

test('tenants may connect to public addresses', () => {
  for (const address of PUBLIC) assert.equal(addressRules([]).allows('host', address), true, address);
});
test('tenants may not connect to private and reserved addresses', () => {
  for (const address of PRIVATE) assert.equal(addressRules([]).allows('host', address), false, address);
});
test('a text that is no IP address is refused', () => {
  for (const address of ['', 'localhost', '1.2.3', '1.2.3.4.5', '0x7f.1', 'x::1'])
    assert.equal(addressRules([]).allows('host', address), false, address);
});
test('the operator may allow private hosts and ranges for tenants', () => {
  const rules = addressRules(['wiki.internal', '10.1.0.0/16', '192.168.1.9', 'fd00::/8']);
  assert.equal(rules.allows('wiki.internal', '192.168.7.7'), true);
  assert.equal(rules.allows('WIKI.internal.', '192.168.7.7'), true);
  assert.equal(rules.allows('not-wiki.internal', '192.168.7.7'), false);
  assert.equal(rules.allows('x', '10.1.255.1'), true);
  assert.equal(rules.allows('x', '::ffff:10.1.255.1'), true);
  assert.equal(rules.allows('x', '10.2.0.1'), false);
  assert.equal(rules.allows('x', '192.168.1.9'), true);
  assert.equal(rules.allows('x', '192.168.1.10'), false);
  assert.equal(rules.allows('x', 'fd12::1'), true);
});
