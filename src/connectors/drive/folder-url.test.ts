import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { parseFolderUrl } from './folder-url.ts';

const ID = '1AbCdEfGhIjKlMnOpQrStUvWxYz_-0123';

test('every form of a folder address is parsed', () => {
  for (const text of [
    ID,
    ` ${ID}\n`,
    `https://drive.google.com/drive/folders/${ID}`,
    `http://drive.google.com/drive/folders/${ID}/`,
    `drive.google.com/drive/folders/${ID}`,
    `https://DRIVE.google.com/drive/folders/${ID}?usp=sharing`,
    `https://drive.google.com/drive/u/0/folders/${ID}`,
    `https://drive.google.com/drive/u/12/folders/${ID}#x`,
    `https://drive.google.com/drive/mobile/folders/${ID}`,
    `https://drive.google.com/a/example.com/folders/${ID}`,
    `https://drive.google.com/drive/u/1/shared-drives/${ID}`,
    `https://drive.google.com/open?id=${ID}&usp=drive_copy`,
    `https://drive.google.com/folderview?usp=sharing&id=${ID}`,
    `https://docs.google.com/folder/d/${ID}`,
  ])
    assert.deepEqual(parseFolderUrl(text), { id: ID, resourceKey: null }, text);
  assert.deepEqual(parseFolderUrl('https://drive.google.com/drive/folders/0AFsharedDriveRootPVA'), {
    id: '0AFsharedDriveRootPVA',
    resourceKey: null,
  });
});

test('the resource key of a folder address is parsed', () => {
  const expected = { id: ID, resourceKey: '0-abc_D' };
  assert.deepEqual(parseFolderUrl(`https://drive.google.com/drive/folders/${ID}?resourcekey=0-abc_D`), expected);
  assert.deepEqual(parseFolderUrl(`https://drive.google.com/open?id=${ID}&resourcekey=0-abc_D`), expected);
});

test('an invalid folder address is refused with an explanation of valid forms', () => {
  for (const text of [
    '',
    'root',
    'short',
    'https://example.com/drive/folders/1AbCdEfGhIjKlMnOp',
    `https://drive.google.com.example.com/drive/folders/${ID}`,
    `https://drive.google.com@example.com/drive/folders/${ID}`,
    `https://u:p@drive.google.com/drive/folders/${ID}`,
    `https://drive.google.com:8443/drive/folders/${ID}`,
    `ftp://drive.google.com/drive/folders/${ID}`,
    `javascript:alert(1)//drive.google.com/drive/folders/${ID}`,
    'https://drive.google.com/drive/my-drive',
    'https://drive.google.com/drive/folders/',
    "https://drive.google.com/drive/folders/x'%20or%20'1'='1",
    `https://drive.google.com/open?id=${ID}'`,
    'https://drive.google.com/open',
    `https://drive.google.com/drive/folders/${ID}?resourcekey=a,b/c`,
    'http://127.0.0.1/drive/folders/1AbCdEfGhIjKlMnOp',
  ])
    assert.throws(
      () => parseFolderUrl(text),
      (error) => error instanceof ServiceError && error.code === 'invalid_request' && error.message.includes('<id>'),
      text,
    );
  assert.throws(() => parseFolderUrl(`https://drive.google.com/file/d/${ID}/view`), /names a file/);
  assert.throws(() => parseFolderUrl(`https://docs.google.com/document/d/${ID}/edit`), /names a file/);
});
