import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf } from './lines.ts';
import type { Statistics } from './statistics.ts';

const STATISTICS = { accepted: 7, refused: 1 } as Statistics;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

function textOf(event: Parameters<typeof lineOf>[0]): string | undefined {
  return lineOf(event, STATISTICS)?.replace(COLOURS, '');
}

test('what goes wrong has a line that says what happens and what comes next', () => {
  const server = 'svc+tcp://pool.example:28780';
  const difficulty = 16n;
  const answer = { type: 'answer', difficulty, millis: 3.2 } as const;
  const cases: readonly (readonly [Parameters<typeof lineOf>[0], string])[] = [
    [
      { type: 'lost', server, reason: 'the server closed the connection', retryMillis: 2_000 },
      `net    no connection to ${server}: the server closed the connection, again in 2 s`,
    ],
    [
      { type: 'lost', server, reason: 'it is silent', retryMillis: 0 },
      `net    no connection to ${server}: it is silent`,
    ],
    [
      { type: 'show', text: 'the node does not answer; go on with the job you have' },
      'net    the server says: the node does not answer; go on with the job you have',
    ],
    [{ type: 'given_up' }, 'net    a share was given up: its server gave out other work'],
    [{ ...answer, isAccepted: false, refusal: 'stale' }, 'net    refused (7/1) stale (3 ms)'],
    [
      { ...answer, isAccepted: true, block: 'unknown' },
      'net    accepted (7/1) diff 16 block unknown (3 ms)',
    ],
    [
      { type: 'device', device: 'gpu:0', state: 'failed', reason: 'out of resources' },
      'miner  gpu:0 failed: out of resources',
    ],
  ];
  for (const [event, expected] of cases) assert.equal(textOf(event), expected);
});

test('text of a server cannot take over the terminal', () => {
  const line = textOf({ type: 'show', text: 'a\u001b[2J\u0007b\u202ec' }) as string;
  assert.ok(
    [...line].every((character) => character >= ' ' && character !== '\u202e'),
    line,
  );
});
