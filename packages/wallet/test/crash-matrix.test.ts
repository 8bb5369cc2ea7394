import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { type Case, cancelSome, rescanSome, restoreSome, spread } from './crash/matrix.ts';
import { runMatrix } from './crash/run-matrix.ts';

const CASES = 32;
/** One case in so many goes on with a backup of the state. */
const RESTORED_EVERY = 5;
/** One case in so many is one of a payment that is cancelled. */
const CANCELLED_EVERY = 4;
/** In one case in so many the past is read once more. */
const RESCANNING_EVERY = 3;

/**
 * Each case has the time of a test; all of them together have what they need. Node takes an infinite timeout for none,
 * and then limits the whole like any test; this is the longest that it takes.
 */
const TOGETHER = { timeout: 2 ** 31 - 1 };

test(
  'nobody is paid twice, and every answer is true, wherever the daemon dies and whatever the node does',
  TOGETHER,
  async (t) => {
    const failed: string[] = [];
    const seen: Case[] = [];
    const crashes = await runMatrix({
      cases: rescanSome(
        cancelSome(restoreSome(spread(CASES), RESTORED_EVERY), CANCELLED_EVERY),
        RESCANNING_EVERY,
      ),
      directory: temporaryDirectory(t),
      inPart: ({ point, node, client, isCancelled, isRescanning, isRestored }, work) => {
        const marks = [
          isCancelled === true ? ', cancelled' : '',
          isRestored === true ? ', restored' : '',
          isRescanning === true ? ', read once more' : '',
        ];
        return t.test(`${point}, ${node}, ${client}${marks.join('')}`, work);
      },
      inGroup: (point, work) => t.test(`several payments at once, ${point}`, work),
      onCase: (each, _, error) => {
        seen.push(each);
        if (error !== undefined) failed.push(error instanceof Error ? error.message : 'failed');
      },
    });
    assert.deepEqual(failed, []);
    t.diagnostic(`${crashes} daemons died at the point they were told`);
    assert.ok(crashes >= CASES / 2, `${crashes} deaths at a point`);
    const kinds = (name: keyof Case): number => new Set(seen.map((each) => each[name])).size;
    assert.deepEqual(
      [seen.length, kinds('point'), kinds('node'), kinds('client')],
      [CASES, 12, 9, 4],
    );
  },
);
