import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { parseDatabaseUrl } from './url.ts';

test('a connection URL gives its parts, with the port and the TLS mode of its engine', () => {
  assert.deepEqual(parseDatabaseUrl(' postgres://ada:p%40ss%2Fw%23@db.example.com/shop%20two\n'), {
    engine: 'postgresql',
    host: 'db.example.com',
    port: 5432,
    user: 'ada',
    password: 'p@ss/w#',
    database: 'shop two',
    tls: 'verify-full',
  });
  const { engine, host, port, password, tls } = parseDatabaseUrl('mariadb://root@[::1]:3307/shop?sslmode=disable');
  assert.deepEqual([engine, host, port, password, tls], ['mysql', '::1', 3307, '', 'disable']);
  assert.equal(parseDatabaseUrl('mysql://a:b@c/d').port, 3306);
});

test('a connection URL that is refused is not repeated in the error', () => {
  const urls = [
    'secret-word',
    'https://a:secret-word@host/db',
    'postgresql://a:secret-word@host',
    'postgresql://:secret-word@host/db',
    'postgresql:///db?password=secret-word',
    'postgresql://a:secret-word@host/db?sslmode=secret-word',
    'postgresql://a:b@host/db?options=secret-word',
    'postgresql://a:secret-word#x@host/db',
    'postgresql://a:secret-word%zz@host/db',
    'postgresql://a:secret-word@%2Fvar%2Frun/db',
  ];
  for (const url of urls) {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: unknown) =>
        error instanceof ServiceError && error.code === 'invalid_request' && !/secret-word/.test(error.message),
      url,
    );
  }
});
