/**
 * The fuzz test of the append-only log on a real disk: torn at every byte, every bit flipped, a full disk, a sync that
 * fails, and what reaches the disk call by call.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs, { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LogWriter } from '../pure/append-log/log-writer.ts';
import { type LogPart, readLog } from '../pure/append-log/read-log.ts';
import { encodeRecord } from '../pure/append-log/record.ts';
import { temporaryDirectory } from '../testing/index.ts';
import { LogFile, scanLogFile } from './log-file.ts';

const KIND = { kind: 'test' };
const PAYLOADS = ['first', '', 'third, which is longer', '4'].map((text) => Buffer.from(text));

/** Records 0 and 1 are synced together, 2 and 3 alone. */
function writtenLog(t: TestContext): { path: string; bytes: Buffer; ends: number[] } {
  const path = join(temporaryDirectory(t), 'log');
  const log = new LogFile(path, KIND);
  const writer = new LogWriter(log);
  const ends = [log.size];
  for (const [index, payload] of PAYLOADS.entries()) {
    writer.append(payload);
    ends.push(log.size);
    if (index > 0) writer.sync();
  }
  log.close();
  return { path, bytes: readFileSync(path), ends };
}

const numbers = (parts: Iterable<LogPart>): (number | string)[] =>
  [...parts].map((part) => (part.type === 'record' ? part.record.sequence : part.type));

test('torn at any byte, a log is read up to the last whole record and continued there', (t) => {
  const { path, bytes, ends } = writtenLog(t);
  for (let length = 0; length <= bytes.length; length++) {
    writeFileSync(path, bytes.subarray(0, length));
    const log = new LogFile(path, KIND);
    const whole = ends.filter((end) => end <= length).length - 1;
    const count = Math.max(0, whole);
    const reading = readLog(log.read());
    assert.ok(reading.type === 'read' && reading.records.length === count, `torn at ${length}`);
    assert.equal(reading.intactBytes, ends[count]);
    const parts = [...log.parts()];
    const torn = length > (ends[count] as number) ? ['torn'] : [];
    assert.deepEqual(numbers(parts), [...Array(count).keys(), ...torn]);
    assert.deepEqual(numbers(log.last()), [...(count === 0 ? [] : [count - 1]), ...torn]);
    log.truncate(reading.intactBytes);
    const writer = new LogWriter(log, count);
    writer.appendAll([Buffer.from('next'), Buffer.from('one more')]);
    writer.sync();
    log.close();
    assert.deepEqual(numbers(scanLogFile(path, 'test')), [...Array(count + 2).keys()]);
  }
});

test('any flipped bit of a record costs that record, is reported with its offset, and is never believed', (t) => {
  const { path, bytes, ends } = writtenLog(t);
  for (let bit = 8 * (ends[0] as number); bit < 8 * bytes.length; bit++) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(path, damaged);
    const log = new LogFile(path, KIND);
    const index = ends.findIndex((end) => bit >> 3 < end) - 1;
    const sound = [0, 1, 2, 3].filter((one) => one !== index);
    const parts = [...log.parts()];
    const records = parts.flatMap((part) => (part.type === 'record' ? [part.record] : []));
    assert.deepEqual(
      records.map(({ payload, sequence }) => [sequence, Buffer.from(payload)]),
      sound.map((one) => [one, PAYLOADS[one]]),
      `bit ${bit}`,
    );
    const [lost] = parts.filter(({ type }) => type !== 'record');
    assert.deepEqual([lost?.at, lost?.end], [ends[index], ends[index + 1]], `bit ${bit}`);
    assert.ok(index === 3 || lost?.type === 'damage', 'an intact record follows: nothing was torn');
    const reading = readLog(log.read());
    if (index === 3) assert.ok(reading.type === 'read' && reading.records.length === 3);
    else assert.ok(reading.type === 'refused' && reading.offset === ends[index], `bit ${bit}`);
    assert.deepEqual(numbers(log.last())[0], index === 3 ? 2 : 3);
    log.close();
    assert.deepEqual(readFileSync(path), damaged, 'reading changes nothing');
  }
});

test('a complete last record with a wrong checksum is damage, and a shorter one is torn', (t) => {
  const { path, bytes, ends } = writtenLog(t);
  const flipped = Buffer.from(bytes);
  flipped[bytes.length - 1] = 0;
  writeFileSync(path, flipped);
  assert.deepEqual(numbers(scanLogFile(path, 'test')), [0, 1, 2, 'damage']);
  writeFileSync(path, bytes.subarray(0, (ends[3] as number) + 1));
  assert.deepEqual(numbers(scanLogFile(path, 'test')), [0, 1, 2, 'torn']);
});

test('a flipped bit of the header is healed and reported where a record follows, and refused where none does', (t) => {
  const { path, bytes, ends } = writtenLog(t);
  const headerBytes = ends[0] as number;
  for (let bit = 0; bit < 8 * headerBytes; bit++) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(path, damaged);
    const reports: unknown[] = [];
    const onHeaderDamage = (...facts: unknown[]) => void reports.push(facts);
    new LogFile(path, { ...KIND, onHeaderDamage }).close();
    assert.deepEqual(reports, [[path, headerBytes]]);
    assert.deepEqual(readFileSync(path), bytes);
    const alone = damaged.subarray(0, headerBytes);
    writeFileSync(path, alone);
    assert.throws(() => new LogFile(path, KIND), /nothing was changed/);
    assert.deepEqual(readFileSync(path), alone);
  }
});

test('a file of another kind or version, a foreign file and a symbolic link are refused and not changed', (t) => {
  const { path, bytes } = writtenLog(t);
  assert.throws(
    () => new LogFile(path, { kind: 'other' }),
    /a file "svc test 1", not "svc other 1"/,
  );
  assert.deepEqual(readFileSync(path), bytes);
  const foreign = `${path}.txt`;
  writeFileSync(foreign, 'a text that is not for us\n'.repeat(20));
  assert.throws(() => new LogFile(foreign, KIND), /nothing was changed/);
  assert.equal(readFileSync(foreign, 'utf8'), 'a text that is not for us\n'.repeat(20));
  if (process.platform === 'win32') return;
  symlinkSync(path, `${path}.link`);
  assert.throws(() => new LogFile(`${path}.link`, KIND), { code: 'ELOOP' });
});

test('records are found behind megabytes of damage, and the last one without reading them', (t) => {
  const path = join(temporaryDirectory(t), 'log');
  const log = new LogFile(path, KIND);
  const record = (sequence: number) =>
    encodeRecord({ sequence, synced: 0, payload: Buffer.alloc(1 << 20, sequence) });
  log.append(record(0));
  log.append(new Uint8Array(6 << 20).map((_, at) => (at % 4096 === 0 ? 0x53 : 0)));
  for (const sequence of [7, 8, 9]) log.append(record(sequence));
  assert.deepEqual(numbers(log.parts()), [0, 'damage', 7, 8, 9]);
  assert.deepEqual(numbers(log.last()), [9]);
  log.append(new Uint8Array(6 << 20));
  assert.deepEqual(numbers(log.last()), [9, 'torn']);
  log.close();
});

const FULL_DISK = `
import { LogFile } from ${JSON.stringify(new URL('./log-file.ts', import.meta.url).href)};
import { LogWriter } from ${JSON.stringify(new URL('../pure/append-log/log-writer.ts', import.meta.url).href)};
const log = new LogFile(process.argv[1], { kind: 'test' });
const writer = new LogWriter(log);
const errors = [];
let written = 0;
for (let at = 0; at < 20; at++) {
  try {
    writer.append(Buffer.alloc(1000, at));
    writer.sync();
    written++;
  } catch (error) { errors.push(error); }
}
console.log(JSON.stringify({ written, codes: errors.map(({ code }) => code), same: new Set(errors).size }));
`;

test('a file that cannot grow fails every later call with the first error, and opens again where it was whole', {
  skip: process.platform === 'win32',
}, (t) => {
  const path = join(temporaryDirectory(t), 'log');
  // The shell counts in blocks of 512 or of 1,024 bytes: the limit is within a record either way.
  const { status, stderr, stdout } = spawnSync(
    'sh',
    [
      '-c',
      'ulimit -f 9; exec "$@"',
      'sh',
      process.execPath,
      '--input-type=module',
      '-e',
      FULL_DISK,
      path,
    ],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  const { codes, same, written } = JSON.parse(stdout);
  assert.ok(written > 0 && codes.length === 20 - written);
  assert.deepEqual([new Set(codes).size, codes[0], same], [1, 'EFBIG', 1]);
  assert.equal(statSync(path).size % 512, 0, 'the last record was written in part');
  const log = new LogFile(path, KIND);
  assert.deepEqual(numbers(log.parts()), [...Array(written).keys(), 'torn']);
  log.close();
});

function failing(t: TestContext, name: 'fdatasyncSync' | 'fsyncSync' | 'writeSync'): void {
  const { writeSync } = fs;
  let calls = 0;
  t.mock.method(fs, name, (file: number, bytes: Uint8Array) => {
    if (name === 'writeSync' && calls++ === 0) return writeSync(file, bytes, 0, 7);
    throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

test('after a write, a sync or a truncation that failed nothing is written any more', async (t) => {
  for (const name of ['fdatasyncSync', 'fsyncSync', 'writeSync'] as const) {
    const path = join(temporaryDirectory(t), 'log');
    const log = new LogFile(path, KIND);
    const writer = new LogWriter(log);
    writer.append(Buffer.from('one'));
    failing(t, name);
    const work = {
      fdatasyncSync: () => writer.sync(),
      fsyncSync: () => writer.reset(),
      writeSync: () => writer.append(Buffer.from('a record that is cut short')),
    }[name];
    assert.throws(work, { code: 'EIO' });
    t.mock.restoreAll();
    syncBuiltinESMExports();
    const { size } = statSync(path);
    assert.throws(() => writer.sync(), { code: 'EIO' });
    assert.throws(() => writer.append(Buffer.from('two')), { code: 'EIO' });
    await assert.rejects(writer.flush(), { code: 'EIO' });
    assert.equal(statSync(path).size, size);
    log.close();
  }
});

test('a log brings its header, its name and its records to the disk, and nothing to a disk that has them', async (t) => {
  const directory = temporaryDirectory(t);
  const calls: string[] = [];
  const names = new Map<number, string>();
  const { fdatasyncSync, fsyncSync, openSync } = fs;
  t.mock.method(fs, 'openSync', (...opening: Parameters<typeof openSync>) => {
    const file = openSync(...opening);
    names.set(file, basename(String(opening[0])));
    return file;
  });
  t.mock.method(fs, 'fsyncSync', (file: number) => {
    calls.push(`fsync ${names.get(file)}`);
    fsyncSync(file);
  });
  t.mock.method(fs, 'fdatasyncSync', (file: number) => {
    calls.push(`fdatasync ${names.get(file)}`);
    fdatasyncSync(file);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const log = new LogFile(join(directory, 'log'), KIND);
  assert.deepEqual(calls.splice(0), ['fsync log', `fsync ${basename(directory)}`]);
  const writer = new LogWriter(log);
  writer.append(Buffer.from('one'));
  writer.sync();
  writer.sync();
  await writer.flush();
  assert.deepEqual(calls.splice(0), ['fdatasync log']);
  log.truncate(log.start);
  log.reset();
  assert.deepEqual(calls, ['fsync log', 'fsync log']);
  log.close();
  log.close();
  assert.throws(() => log.append(Buffer.from('two')), /is closed/);
});
