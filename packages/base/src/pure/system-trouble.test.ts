import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { systemTrouble } from './system-trouble.ts';

test('a taken port is reported with its address, as the system itself reports it', async (t) => {
  const first = createServer();
  t.after(() => first.close());
  await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve));
  const { port } = first.address() as { port: number };
  const second = createServer();
  const error = await new Promise((resolve) => {
    second.on('error', resolve);
    second.listen(port, '127.0.0.1');
  });
  assert.equal(
    systemTrouble(error),
    `127.0.0.1:${port} is taken by another program; stop it or choose another`,
  );
});

test('a full disk is reported, also as the cause of the error that a store made of it', () => {
  let full: unknown;
  try {
    writeFileSync('/dev/full', 'x');
  } catch (error) {
    full = error;
  }
  assert.match(systemTrouble(full) ?? '', /^the disk is full;/);
  assert.match(systemTrouble(new Error('a write failed', { cause: full })) ?? '', /disk is full/);
  const engine = new Error('IO error: 000012.log: No space left on device');
  assert.match(
    systemTrouble(new Error('cannot be opened', { cause: engine })) ?? '',
    /disk is full/,
  );
});

test('other errors are not explained away, and circles of causes end', () => {
  assert.equal(systemTrouble(new Error('checksum')), undefined);
  assert.equal(systemTrouble('text'), undefined);
  assert.equal(systemTrouble(Object.assign(new Error('no'), { code: 'ENOENT' })), undefined);
  const circle = new Error('a');
  circle.cause = circle;
  assert.equal(systemTrouble(circle), undefined);
});

test('files, addresses and read-only disks are reported with what to do', () => {
  const errorOf = (fields: object): Error => Object.assign(new Error('refused'), fields);
  const table: [object, RegExp][] = [
    [{ code: 'EMFILE' }, /ulimit -n/],
    [{ code: 'ENFILE' }, /fs\.file-max/],
    [{ code: 'EROFS', path: '/data/x' }, /only be read \(\/data\/x\)/],
    [{ code: 'EADDRNOTAVAIL', address: '::2', port: 1 }, /^\[::2\]:1 is no address/],
    [{ code: 'EADDRINUSE', port: 7 }, /^port 7 is taken/],
    [{ code: 'EADDRINUSE' }, /^the address to listen on is taken/],
  ];
  for (const [fields, words] of table) assert.match(systemTrouble(errorOf(fields)) ?? '', words);
});
