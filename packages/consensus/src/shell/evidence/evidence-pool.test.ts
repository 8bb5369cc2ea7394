import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Conflict, height, NO_ROUND, round, type Vote } from 'svc-consensus/machine';
import type { Driver } from '../driver.ts';
import type { Speaker } from '../peers/speaker.ts';
import { EvidencePool } from './evidence-pool.ts';

const voteFor = (value: string | null): Vote => ({
  kind: 'prevote',
  height: height(7),
  round: round(0),
  validRound: NO_ROUND,
  value: value as Vote['value'],
  validatorIndex: 1,
  signature: new Uint8Array(1),
});
const CONFLICT: Conflict = { first: voteFor(null), second: voteFor('ab'.repeat(48)) };

test('a convicting pair is on the disk before it is sent to others, and is sent once', () => {
  const done: string[] = [];
  const driver = {
    ports: {
      log: { warn: () => {} },
      chain: {
        isPunished: () => false,
        setAt: () => ({ validators: [{ id: Uint8Array.of(1) }, { id: Uint8Array.of(2) }] }),
      },
      files: {
        evidence: {
          foundConflicts: [],
          appendConflict: () => done.push('written'),
          sync: () => done.push('synced'),
        },
      },
    },
  } as unknown as Driver;
  const speaker = { tell: () => done.push('told') } as unknown as Speaker;
  const pool = new EvidencePool(driver, speaker);
  pool.add(CONFLICT);
  pool.add(CONFLICT);
  assert.deepEqual(done, ['written', 'synced', 'told']);
  assert.deepEqual(pool.allFor(7), [CONFLICT]);
  assert.deepEqual(pool.allFor(6), []);
});
