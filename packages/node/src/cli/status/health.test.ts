import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import type { StatusDocument, SyncDocument } from 'svc-api';
import { svcd } from '../testing/svcd.ts';
import { type HealthFacts, healthOf } from './health.ts';

const STATUS: StatusDocument = {
  api_version: 1,
  version: '0.1.0',
  network: 'mainnet',
  chain_id: 'ab'.repeat(48),
  finalized_height: 100,
  synced: true,
  peers: { inbound: 4, outbound: 8 },
  mempool: { transactions: 7, bytes: 900 },
  work_pool_blocks: 2,
  storage_mode: 'full',
  uptime_seconds: 60,
  validator: null,
  update_required: false,
  update_announced: false,
};
const SYNC: SyncDocument = {
  api_version: 1,
  synced: true,
  finalized_height: 100,
  best_peer_height: 100,
  behind_by: 0,
  peers: 12,
};
const VALIDATOR = {
  validator_id: 'cd'.repeat(48),
  state: 'live',
  committee: true,
  last_signed_height: 100,
};

function facts(
  status: Partial<StatusDocument>,
  sync: Partial<SyncDocument> = {},
  headAgeMillis = 0,
): HealthFacts {
  return { status: { ...STATUS, ...status }, sync: { ...SYNC, ...sync }, headAgeMillis };
}

test('a node that lacks nothing has ten points; each lack costs its points and is named', () => {
  const table: [HealthFacts, number, string[]][] = [
    [facts({}), 10, []],
    [facts({ validator: VALIDATOR }), 10, []],
    [
      facts({ update_required: true }),
      0,
      ['the network follows rules this release does not know: update it'],
    ],
    [facts({ update_announced: true }), 9, ['a peer runs a newer release']],
    [
      facts({ synced: false }, { synced: false, behind_by: 45 }),
      6,
      ['behind its peers by 45 cuts'],
    ],
    [
      facts({ peers: { inbound: 0, outbound: 0 } }),
      6,
      ['no peers: check the network and peers.bootstrap'],
    ],
    [facts({ peers: { inbound: 0, outbound: 0 }, network: 'development' }), 10, []],
    [
      facts({ peers: { inbound: 0, outbound: 8 } }),
      9,
      ['no peer connects from outside: open the port of peers.listen'],
    ],
    [facts({}, {}, 61_000), 7, ['no new cut for 61 s']],
    [facts({}, {}, -10_000), 10, []],
    [
      facts({}, {}, -90_000),
      7,
      ['the clock is 90 s behind the newest cut: check the time service'],
    ],
    [
      facts({}, { synced: false, behind_by: 0 }),
      6,
      ['does not follow the chain: GET /ready says why'],
    ],
    [facts({ validator: { ...VALIDATOR, state: 'jailed' } }), 7, ['the validator is jailed']],
    [
      facts({ validator: { ...VALIDATOR, last_signed_height: 79 } }),
      7,
      ['in the committee and no signature for 20 cuts'],
    ],
    [
      facts({ validator: { ...VALIDATOR, last_signed_height: null } }),
      7,
      ['in the committee and no signature for 20 cuts'],
    ],
    [
      facts({ update_required: true, update_announced: true }, { synced: false }, 1e6),
      0,
      ['x', 'x', 'x', 'x'],
    ],
  ];
  for (const [given, score, reasons] of table) {
    const health = healthOf(given);
    assert.equal(health.score, score);
    assert.equal(health.deductions.length, reasons.length);
    if (reasons[0] !== 'x')
      assert.deepEqual(
        health.deductions.map(({ reason }) => reason),
        reasons,
      );
  }
});

/** A server that answers as a node does, with documents that the test chooses. */
async function answering(documents: Record<string, unknown>, ask: (url: string) => Promise<void>) {
  const server = createServer((request, response) => {
    const document = documents[request.url ?? ''];
    response.statusCode = document === undefined ? 404 : 200;
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

test('status tells the score with its reasons, and ends with 1 for a node that needs somebody', async () => {
  const documents = (synced: boolean) => ({
    '/v1/node/status': { ...STATUS, synced, update_announced: true },
    '/v1/node/sync': { ...SYNC, synced, behind_by: synced ? 0 : 45 },
    '/v1/chain/head': { time_millis: Date.now() },
  });
  await answering(documents(true), async (url) => {
    const { code, stdout, stderr } = await svcd(['status', '--url', url], { directory: tmpdir() });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^health 9\/10\n {2}-1 {2}a peer runs a newer release\n/);
    assert.match(stdout, /^peers +12 \(4 in, 8 out\)$/m);
  });
  await answering(documents(false), async (url) => {
    const { code, stdout } = await svcd(['status', '--url', url, '--json'], {
      directory: tmpdir(),
    });
    assert.equal(code, 1);
    const { health } = JSON.parse(stdout) as { health: { score: number; best: number } };
    assert.deepEqual([health.score, health.best], [5, 10]);
  });
  await answering({}, async (url) => {
    const { code, stderr } = await svcd(['status', '--url', url], { directory: tmpdir() });
    assert.equal(code, 1);
    assert.match(stderr, /answers, but not as a node does/);
  });
});
