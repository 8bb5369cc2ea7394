import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUsualHead } from './usual-head.ts';

const LINE = 'POST /v1/rpc HTTP/1.1';
const HEADERS = [
  'Host: 127.0.0.1:8081',
  'content-type: application/json',
  'Authorization: Bearer abc',
  'content-length: 12',
];
const USUAL = { host: '127.0.0.1:8081', authorization: 'Bearer abc', length: 12 };

function read(...lines: readonly string[]): ReturnType<typeof readUsualHead> {
  return readUsualHead(lines.join('\r\n'));
}

test('a head in the form of programs is read, with headers that change nothing', () => {
  assert.deepEqual(read(LINE, ...HEADERS), USUAL);
  const more = ['accept: */*', 'User-Agent: node', 'connection: Keep-Alive', 'accept-language: *'];
  assert.deepEqual(read(LINE, ...more, ...HEADERS), USUAL);
});

test('a head of any other form is left to others', () => {
  const others = [
    [LINE],
    ['GET /v1/rpc HTTP/1.1', ...HEADERS],
    ['POST /v1/rpc HTTP/1.0', ...HEADERS],
    ['POST /v1/rpc?token=abc HTTP/1.1', ...HEADERS],
    ['POST  /v1/rpc HTTP/1.1', ...HEADERS],
    ...HEADERS.map((_, at) => [LINE, ...HEADERS.toSpliced(at, 1)]),
    ...HEADERS.map((header) => [LINE, ...HEADERS, header]),
    ...[
      'origin: http://example.com',
      'transfer-encoding: chunked',
      'expect: 100-continue',
      'connection: close',
      'connection: upgrade',
      'x-unknown: 1',
      ' folded',
      'accept : */*',
      'accept:\t*/*',
      'accept: ä',
      'accept: a\nhost: b',
      '',
    ].map((header) => [LINE, ...HEADERS, header]),
    ...['-1', '+1', '012', '1e2', '0x1', '12, 12', '131073', '9999999'].map((length) => [
      LINE,
      ...HEADERS.slice(0, 3),
      `content-length: ${length}`,
    ]),
    [LINE, 'content-type: application/json; charset=utf-8', ...HEADERS.toSpliced(1, 1)],
  ];
  for (const lines of others) assert.equal(read(...lines), undefined, lines.join('|'));
});
