import assert from 'node:assert/strict';
import { test } from 'node:test';
import { height, round, type Vote } from 'svc-consensus/machine';
import type { LogFile } from '../ports/files.ts';
import { EvidenceFiles } from './evidence-files.ts';

const WIRE = { chainId: new Uint8Array(48), setIdAt: () => new Uint8Array(48).fill(1) };

class MemoryFile implements LogFile {
  bytes: number[] = [];
  read = () => Uint8Array.from(this.bytes);
  append = (more: Uint8Array) => {
    for (const byte of more) this.bytes.push(byte);
  };
  sync = () => {};
  reset = () => this.truncate(0);
  truncate = (length: number) => {
    this.bytes.length = length;
  };
  close = () => {};
}

function voteOf(validatorIndex: number, value: string | null): Vote {
  return {
    kind: 'prevote',
    height: height(3),
    round: round(0),
    validRound: round(-1),
    value: value as Vote['value'],
    validatorIndex,
    signature: new Uint8Array(3_309).fill(validatorIndex),
  };
}

test('messages and pairs are there after a restart, also behind a torn end', () => {
  const votes = [new MemoryFile(), new MemoryFile()] as const;
  const conflicts = new MemoryFile();
  const open = () => new EvidenceFiles({ wire: WIRE, votes, conflicts });
  const files = open();
  const conflict = { first: voteOf(2, null), second: voteOf(2, 'ab'.repeat(48)) };
  files.appendMessages([voteOf(1, null), voteOf(2, null)]);
  files.appendConflict(conflict);
  files.sync();
  votes[0].append(Uint8Array.of(1, 2, 3));
  const again = open();
  assert.deepEqual(again.foundMessages, [voteOf(1, null), voteOf(2, null)]);
  const [found] = again.foundConflicts;
  assert.deepEqual(
    new Set([found?.first, found?.second]),
    new Set([conflict.first, conflict.second]),
  );
  again.appendMessages([voteOf(3, null)]);
  again.resetConflicts();
  const last = open();
  assert.equal(last.foundMessages.length, 3);
  assert.deepEqual(last.foundConflicts, []);
});
