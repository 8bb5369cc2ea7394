import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from './crc32.ts';
import type { LogStorage } from './log-writer.ts';
import { LogWriter } from './log-writer.ts';
import { readLog } from './read-log.ts';
import { decodeRecord, encodeRecord, PAYLOAD_BYTES_MAX, RECORD_HEAD_BYTES } from './record.ts';

class Memory implements LogStorage {
  bytes: Uint8Array = new Uint8Array(0);
  syncs = 0;
  append(more: Uint8Array): void {
    this.bytes = Uint8Array.from([...this.bytes, ...more]);
  }
  sync(): void {
    this.syncs += 1;
  }
  reset(): void {
    this.bytes = new Uint8Array(0);
  }
  truncate(length: number): void {
    this.bytes = this.bytes.slice(0, length);
  }
}

const payload = (at: number) => Uint8Array.from({ length: 3 + at }, (_, index) => index * at);

/** Records 0 to 2 synced together, 3 alone, 4 and 5 not synced. */
function writtenLog(): { bytes: Uint8Array; ends: number[] } {
  const memory = new Memory();
  const writer = new LogWriter(memory);
  const ends: number[] = [];
  for (let at = 0; at < 6; at++) {
    writer.append(payload(at));
    ends.push(memory.bytes.length);
    if (at === 2 || at === 3) writer.sync();
  }
  return { bytes: memory.bytes, ends };
}

/** Makes the bytes of records when they are read. */
class LaterMemory extends Memory {
  readonly later: (() => Uint8Array)[] = [];
  appendLater(make: () => Uint8Array): void {
    this.later.push(make);
  }
}

test('records that are made later are those that would have been made at once', () => {
  const memory = new LaterMemory();
  const writer = new LogWriter(memory);
  let made = 0;
  for (let at = 0; at < 6; at++) {
    writer.appendMade(() => {
      made++;
      return payload(at);
    });
    if (at === 2 || at === 3) writer.sync();
  }
  assert.equal(made, 0, 'none was read yet');
  for (const make of memory.later) memory.append(make());
  assert.deepEqual([...memory.bytes], [...writtenLog().bytes]);
});

test('CRC-32 of the standard check string', () => {
  assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf4_3926);
});

test('what was written is read, in order', () => {
  const { bytes } = writtenLog();
  const read = readLog(bytes);
  assert.ok(read.type === 'read');
  assert.deepEqual(
    read.records.map((record) => record.payload),
    [0, 1, 2, 3, 4, 5].map(payload),
  );
  assert.deepEqual(
    read.records.map((record) => record.synced),
    [0, 0, 0, 3, 4, 4],
  );
  assert.equal(read.droppedBytes, 0);
});

test('cut off at any byte, the log is read up to the last whole record', () => {
  const { bytes, ends } = writtenLog();
  for (let length = 0; length <= bytes.length; length++) {
    const read = readLog(bytes.subarray(0, length));
    assert.ok(read.type === 'read', `at ${length}`);
    const whole = ends.filter((end) => end <= length);
    assert.equal(read.records.length, whole.length);
    assert.equal(read.intactBytes, whole[whole.length - 1] ?? 0);
    assert.equal(read.droppedBytes, length - read.intactBytes);
  }
});

test('any flipped bit in a record that a later one knew to be on disk is refused', () => {
  const { bytes, ends } = writtenLog();
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = bytes.slice();
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    const record = ends.findIndex((end) => bit >> 3 < end);
    const read = readLog(damaged);
    if (record <= 3) {
      assert.equal(read.type, 'refused', `bit ${bit} of record ${record}`);
      assert.ok(read.type === 'refused' && read.sequence === record);
    } else {
      assert.ok(read.type === 'read', `bit ${bit} of record ${record} was not synced`);
      assert.equal(read.records.length, record);
    }
  }
});

test('an unsynced record that is lost takes the unsynced ones after it along', () => {
  const { bytes, ends } = writtenLog();
  const holed = bytes.slice();
  holed.fill(0, ends[3], ends[4]);
  const read = readLog(holed);
  assert.ok(read.type === 'read');
  assert.equal(read.records.length, 4);
});

test('a record in the wrong place is refused', () => {
  const record = (sequence: number) => encodeRecord({ sequence, synced: 0, payload: payload(1) });
  const swapped = Uint8Array.from([...record(1), ...record(0)]);
  assert.deepEqual(readLog(swapped), {
    type: 'refused',
    reason: 'wrong_sequence',
    offset: 0,
    sequence: 0,
  });
});

test('noise is never a record, and lengths beyond the limit are not believed', () => {
  const noise = Uint8Array.from({ length: 4096 }, (_, at) => (at * 97 + 13) & 255);
  for (let at = 0; at < noise.length; at++) assert.equal(decodeRecord(noise, at), undefined);
  assert.deepEqual(readLog(noise), {
    type: 'read',
    records: [],
    intactBytes: 0,
    droppedBytes: 4096,
  });
  const huge = encodeRecord({ sequence: 0, synced: 0, payload: payload(1) });
  new DataView(huge.buffer).setUint32(12, PAYLOAD_BYTES_MAX + 1, true);
  assert.equal(decodeRecord(huge, 0), undefined);
  assert.equal(huge.length, RECORD_HEAD_BYTES + 4);
});

test('a sync without new records does not touch the disk', () => {
  const memory = new Memory();
  const writer = new LogWriter(memory);
  writer.append(payload(1));
  writer.sync();
  writer.sync();
  assert.equal(memory.syncs, 1);
});
