/**
 * When the past is read once more: between cuts, and also where cuts come faster than they are read.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import type { NodeLink } from '../node/node-link.ts';
import { Follower } from './follower.ts';
import type { Scanner } from './scanner.ts';

test('the past is read once more although each cut comes while the one before is read', async () => {
  const [ended, isRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [parts, turns] = [0, 0];
  const node = {
    client: {
      cutEvents: async function* () {
        await ended.promise;
        yield* [];
      },
    },
  } as unknown as NodeLink;
  const scanner = {
    catchUp: async () => {
      turns++;
      follower.nudge();
      if (turns === 50) isRead.resolve();
    },
    readPartAgain: async () => {
      if (++parts === 3) isRead.resolve();
      return true;
    },
    failed: assert.fail,
    rescanFailed: assert.fail,
  } as unknown as Scanner;
  const follower: Follower = new Follower({
    ...{ node, scanner, clock: SYSTEM_CLOCK },
    afterCatchUp: () => new Promise((resolve) => setImmediate(resolve)),
    afterError: async () => {},
  });
  follower.start();
  await isRead.promise;
  ended.resolve();
  await follower.close();
  assert.ok(parts >= 3, `${parts} parts in ${turns} turns`);
});
