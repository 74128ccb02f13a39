/** A table with a column of every type, and what its row becomes. */

export const POSTGRES_TYPES = {
  sql: `create type mood as enum ('sad', 'glad');
    create domain zip as text check (value ~ '^[0-9]+$');
    create table types (id integer primary key, big bigint, small smallint, num numeric, num2 numeric(38, 10), r real,
      d double precision, b boolean, t text, v varchar(20), c char(5), x bytea, words bytea, long bytea, j json, jb jsonb, ts timestamp,
      tz timestamptz, da date, ti time, iv interval, u uuid, a integer[], ta text[], m mood, z zip, ip inet, mo money, ra int4range,
      bt bit(3), pt point, "odd ""name|" text);
    insert into types values (1, 9007199254740993, -1, 0.30, 12345678901234567890.0123456789, 1.5,
      1e-300, true, E'Tea | "x"\\nline', 'Käse 😀', 'ch', '\\x00ff', 'words', decode(repeat('00', 5000), 'hex'), '{"a": 1}', '{"b": [1]}',
      '2024-05-06 07:08:09.120', '2024-05-06 07:08:09+02', '2024-02-29', '07:08:09', '1 month 2 days 03:04:05',
      'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{1,null,3}', '{a,"b c"}', 'glad', '00123', '10.0.0.1/8', 1234.5, '[1,5)', B'101', '(1,2)',
      'odd');
    insert into types (id) values (2)`,
  row: {
    id: '1',
    big: '9007199254740993',
    small: '-1',
    num: '0.30',
    num2: '12345678901234567890.0123456789',
    r: '1.5',
    d: '1e-300',
    b: 'true',
    t: 'Tea | "x" line',
    v: 'Käse 😀',
    c: 'ch',
    x: '00ff',
    words: 'words',
    long: '(5000 bytes)',
    j: '{"a": 1}',
    jb: '{"b": [1]}',
    ts: '2024-05-06T07:08:09.12',
    tz: '2024-05-06T05:08:09Z',
    da: '2024-02-29',
    ti: '07:08:09',
    iv: 'P1M2DT3H4M5S',
    u: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    a: '[1,null,3]',
    ta: '["a","b c"]',
    m: 'glad',
    z: '00123',
    ip: '10.0.0.1/8',
    mo: '1234.50',
    ra: '[1,5)',
    bt: '101',
    pt: '(1,2)',
    'odd "name|': 'odd',
  },
};

export function bigPostgresTable(name: string, rows: number): string {
  return `create table ${name} as select i as id, repeat('word', 25) as text from generate_series(1, ${rows}) i`;
}

export const MYSQL_TYPES = {
  sql: `create table types (id integer primary key, big bigint unsigned, ti tinyint(1), de decimal(30, 10), f float, d double,
      v varchar(20), t longtext, la varchar(20) character set latin1, x blob, bi binary(4), words varbinary(20), lo longblob,
      dt datetime(3), ts timestamp null default null, da date, tim time, y year, bt bit(9), js json, en enum('a', 'b'), st set('x', 'y'),
      g geometry, \`odd\`\`name\` text);
    insert into types values (1, 18446744073709551615, 1, 12345678901234567890.0123456789, 1.5, 1e-300, 'Käse 😀', 'long\\ntext', 'Äpfel',
      x'00ff', x'01020304', 'words', repeat('\\0', 50000), '2024-05-06 07:08:09.120', '2024-05-06 07:08:09', '2024-02-29', '-12:00:01', 2024,
      b'100000001', '{"a": [1]}', 'b', 'x,y', point(1, 2), 'odd');
    set sql_mode = '';
    insert into types (id, dt, da) values (2, '0000-00-00 00:00:00', '0000-00-00');
    set sql_mode = default`,
  row: {
    id: '1',
    big: '18446744073709551615',
    ti: '1',
    de: '12345678901234567890.0123456789',
    f: '1.5',
    d: '1e-300',
    v: 'Käse 😀',
    t: 'long text',
    la: 'Äpfel',
    x: '00ff',
    bi: '01020304',
    words: 'words',
    lo: '(50000 bytes)',
    dt: '2024-05-06T07:08:09.12',
    ts: '2024-05-06T07:08:09Z',
    da: '2024-02-29',
    tim: '-12:00:01',
    y: '2024',
    bt: '257',
    js: '{"a": [1]}',
    en: 'b',
    st: 'x,y',
    g: 'POINT(1 2)',
    'odd`name': 'odd',
  },
};
