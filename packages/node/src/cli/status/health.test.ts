import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import type { StatusDocument, SyncDocument, TroubleName } from 'svc-api';
import { svcd } from '../testing/svcd.ts';
import { healthOf } from './health.ts';

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
  troubles: [],
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
function facts(status: Partial<StatusDocument>, ...names: TroubleName[]): StatusDocument {
  const troubles = names.map((name) => ({ name, message: 'in words', refuses_ready: false }));
  return { ...STATUS, troubles, ...status };
}

test('a node that lacks nothing has ten points; each lack costs its points and is named', () => {
  const table: [StatusDocument, number, string[]][] = [
    [facts({}), 10, []],
    [facts({}, 'update_required'), 0, ['update_required: in words']],
    [facts({ update_announced: true }), 9, ['a peer runs a newer release']],
    [facts({}, 'lagging'), 6, ['lagging: in words']],
    [facts({}, 'standing_still'), 3, ['standing_still: in words']],
    [facts({}, 'disk_low'), 6, ['disk_low: in words']],
    [facts({ peers: { inbound: 0, outbound: 0 } }, 'no_peers'), 6, ['no_peers: in words']],
    [facts({ peers: { inbound: 0, outbound: 8 }, network: 'development' }), 10, []],
    [
      facts({ peers: { inbound: 0, outbound: 8 } }),
      9,
      ['no peer connects from outside: open the port of peers.listen'],
    ],
    [facts({}, 'clock_behind'), 7, ['clock_behind: in words']],
    [
      facts({}, 'validator_jailed', 'validator_not_signing'),
      4,
      ['validator_jailed: in words', 'validator_not_signing: in words'],
    ],
    [
      facts({}, 'trouble_of_a_newer_release' as TroubleName),
      9,
      ['trouble_of_a_newer_release: in words'],
    ],
    [
      facts({ update_announced: true }, 'update_required', 'lagging'),
      0,
      ['update_required: in words', 'lagging: in words', 'a peer runs a newer release'],
    ],
  ];
  for (const [given, score, reasons] of table) {
    const health = healthOf(given);
    assert.equal(health.score, score);
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
    '/v1/node/status': {
      ...facts(synced ? {} : { synced }, ...(synced ? [] : (['lagging'] as const))),
      update_announced: true,
    },
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
