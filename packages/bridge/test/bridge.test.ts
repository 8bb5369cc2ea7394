import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { selfSigned } from 'svc-base/node';
import {
  askAsHost,
  expectGoodMetrics,
  expectNoInspector,
  temporaryDirectory,
} from 'svc-base/testing';
import { REFUSALS } from 'svc-mining';
import { init } from 'svc-wasm';
import {
  makeCuts,
  type NetworkFacts,
  Program,
  portOf,
  readJson,
  startNetwork,
} from '../../mining/test/server/testing/processes.ts';
import type { BridgeFacts } from './bridge-facts.ts';
import { TestMiner, type TestMinerOptions, type Way } from './test-miner.ts';

const ORIGIN = 'https://mine.example.org';
describe('svc-bridge between a development network and miners', () => {
  const certificate = selfSigned();
  const directory = temporaryDirectory({ after });
  const miners: TestMiner[] = [];
  let network: Program;
  let bridge: Program;
  let facts: NetworkFacts;
  let addresses: BridgeFacts;
  let intervalCuts: number;

  before(async () => {
    await init();
    network = startNetwork(directory, ['--no-wallet']);
    facts = await network.facts<NetworkFacts>();
    await makeCuts(facts.api_url, 1);
    writeFileSync(join(directory, 'cert.pem'), certificate.cert);
    writeFileSync(join(directory, 'key.pem'), certificate.key);
    bridge = new Program('svc-bridge', wordsFor(facts.mining_url), directory);
    addresses = await bridge.facts<BridgeFacts>();
    const chain = await readJson<{ interval_cuts: number }>(`${facts.mining_url}/v1/mining/chain`);
    intervalCuts = chain.interval_cuts;
  });

  after(async () => {
    await Promise.all(miners.map((miner) => miner.close()));
    await bridge?.stop();
    await network?.stop();
  });

  function wordsFor(node: string): string[] {
    const any = '127.0.0.1:0';
    return [
      ...['--node', node, '--listen', any, '--listen-tls', any, '--listen-ws', any],
      ...['--tls-certificate', 'cert.pem', '--tls-key', 'key.pem', '--ws-origin', ORIGIN],
      ...['--stats', any, '--metrics', any, '--pow', 'light', '--difficulty', '4', '--json'],
      ...['--explorer', 'https://node.example.org/ui/'],
    ];
  }

  function address(index: number): string {
    return facts.accounts[index]?.address as string;
  }

  async function miner(way: Way, more: Partial<TestMinerOptions> = {}): Promise<TestMiner> {
    const options = {
      way,
      protocol: 'svc-mining-v1',
      username: `${address(1)}.rig`,
      intervalCuts,
    } as const;
    const made = new TestMiner({ ...options, ...more });
    miners.push(made);
    await made.connect();
    return made;
  }

  const tcp = (): Way => ({ type: 'tcp', port: portOf(addresses.listen[0]) });

  interface BlockDocument {
    readonly payout_address: string;
    readonly miner_tag: string;
    readonly registered_cut: object | null;
    readonly reward: { readonly state: string };
  }

  test('[STRATUM-05] blocks mined over TCP in both forms, TLS and WebSocket are registered and paid', async () => {
    const ways: readonly (readonly [Way, 'svc-mining-v1' | 'svc-mining-v2', string])[] = [
      [tcp(), 'svc-mining-v1', 'tcp v1'],
      [tcp(), 'svc-mining-v2', 'tcp v2'],
      [
        { type: 'tls', port: portOf(addresses.listen_tls[0]), ca: certificate.cert },
        'svc-mining-v2',
        'tls v2',
      ],
      [
        { type: 'ws', port: portOf(addresses.listen_ws[0]), origin: ORIGIN },
        'svc-mining-v1',
        'ws v1',
      ],
    ];
    for (const [index, [way, protocol, tag]] of ways.entries()) {
      const username = `${address(index + 2)}.rig`;
      const made = await miner(way, { protocol, tag, username });
      const answer = await made.mineBlock();
      assert.deepEqual([answer.isAccepted, answer.block], [true, 'accepted'], tag);
    }
    await makeCuts(facts.api_url, 3);
    const { blocks } = await readJson<{ blocks: { block_id: string }[] }>(
      `${facts.api_url}/v1/blocks/recent?limit=10`,
    );
    assert.equal(blocks.length, ways.length);
    await makeCuts(facts.api_url, 98);
    const paid: string[] = [];
    for (const { block_id: id } of blocks) {
      const block = await readJson<BlockDocument>(`${facts.api_url}/v1/blocks/${id}`);
      assert.notEqual(block.registered_cut, null);
      assert.equal(block.reward.state, 'paid');
      paid.push(`${block.payout_address} ${block.miner_tag}`);
    }
    const expected = ways.map(([, , tag], index) => `${address(index + 2)} ${tag}`);
    assert.deepEqual(paid.toSorted(), expected.toSorted());
  });

  test('a share counts once, also over the next connection; the job of a found block is replaced at once', async () => {
    const made = await miner(tcp());
    const first = await made.mineBlock();
    assert.equal(first.block, 'accepted');
    const { job } = first.share;
    await made.seen('job', (effect) => effect.job.job !== job && effect.job.isClean);
    const again = await made.submit(job, first.share.nonce.slice());
    assert.deepEqual([again.isAccepted, again.refusal], [false, 'duplicate']);
    made.drop();
    await made.connect();
    await made.seen('subscribed', (effect) => effect.answer.isResumed);
    const resumed = await made.submit(job, first.share.nonce.slice());
    assert.equal(resumed.refusal, 'duplicate');
  });

  test('nonces of others, unknown jobs and shares above the target are refused by name', async () => {
    const made = await miner(tcp(), { username: `${address(1)}.liar` });
    const { job } = await made.seen('job');
    const foreign = new Uint8Array(24).fill(0xee);
    assert.equal((await made.submit(job.job, foreign)).refusal, 'wrong_prefix');
    assert.equal((await made.submit((job.job ^ 1) >>> 0, foreign)).refusal, 'unknown_job');
    // Three of four hashes are above the target of these shares.
    const refusals = new Set<string | undefined>();
    for (let number = 0; number < 64 && !refusals.has('low_difficulty'); number++) {
      const answer = await made.submit(made.job?.job as number, made.nonceOf(number));
      refusals.add(answer.refusal);
    }
    assert.ok(refusals.has('low_difficulty'));
  });

  test('an address of another network, a bad tag and a bad line are refused and told why', async () => {
    const foreign = await miner(tcp(), { username: 'svc1notours.rig' });
    const refused = await foreign.seen('failed');
    assert.equal(refused.refusal, 'bad_address');
    const tagged = await miner(tcp(), { tag: '<script>' });
    assert.equal((await tagged.seen('failed')).refusal, 'bad_tag');
    const broken = await miner(tcp());
    await broken.seen('job');
    broken.sendRaw(new Uint8Array(8_192).fill(0x7b));
    const failed = await broken.seen('failed');
    assert.equal(failed.refusal, 'bad_message');
    assert.equal(REFUSALS.bad_message.code, 29);
  });

  test('[STRATUM-07] a page of another origin is refused, and so is a program that speaks no protocol', async () => {
    const way: Way = {
      type: 'ws',
      port: portOf(addresses.listen_ws[0]),
      origin: 'https://evil.example',
    };
    await assert.rejects(miner(way), /403/);
    const { status } = await fetch(`http://127.0.0.1:${way.port}/`);
    assert.equal(status, 426);
  });

  test('statistics and metrics tell what was mined', async (t) => {
    const made = await miner(tcp(), { username: `${address(6)}.counted` });
    assert.equal((await made.mineBlock()).block, 'accepted');
    const stats = await readJson<{
      shares: { accepted: number };
      blocks: { accepted: number };
      workers: { worker: string; blocks: number; page: string }[];
      node: { state: string };
    }>(`http://${addresses.stats}/v1/stats`);
    assert.ok(stats.shares.accepted >= 1 && stats.blocks.accepted >= 1);
    assert.equal(stats.node.state, 'ready');
    const counted = stats.workers.find(({ worker }) => worker === 'counted');
    assert.deepEqual(
      [counted?.blocks, counted?.page],
      [1, `https://node.example.org/ui/address/${address(6)}`],
    );
    const text = await (await fetch(`http://${addresses.metrics}/metrics`)).text();
    await expectGoodMetrics(t, text);
    assert.match(text, /^svc_bridge_blocks_total\{result="accepted"\} [1-9][0-9]*$/m);
    assert.match(text, /^svc_bridge_info\{version="[^"]+",network="development"\} 1$/m);
    assert.equal((await fetch(`http://${addresses.metrics}/`)).status, 404);
    const rebound = `http://${addresses.metrics}/metrics`;
    assert.equal(await askAsHost(rebound, 'evil.example'), 403);
  });

  test('[STRATUM-05] svc-miner mines blocks through the bridge with threads of the processor, over TCP and TLS', async () => {
    const urls = [
      [`svc+tcp://127.0.0.1:${portOf(addresses.listen[0])}#v2`, []],
      [`svc+tls://localhost:${portOf(addresses.listen_tls[0])}`, ['--ca', 'cert.pem']],
    ] as const;
    for (const [place, [url, more]] of urls.entries()) {
      const user = `${address(8 + place)}.rig`;
      const words = ['--url', url, '--user', user, '--tag', `miner ${place}`, ...more];
      const listeners = ['--stats-bind', '127.0.0.1:0', '--metrics-bind', '127.0.0.1:0'];
      const devices = ['--device', 'cpu', '--threads', '1', '--dataset-dir', 'dataset'];
      const program = new Program('svc-miner', [...words, ...listeners, ...devices], directory);
      try {
        await program.says(/accepted \([0-9]+\/0\) .*block accepted/);
      } finally {
        assert.equal(await program.stop(), 0);
      }
    }
    await makeCuts(facts.api_url, 3);
    const { blocks } = await readJson<{ blocks: { block_id: string }[] }>(
      `${facts.api_url}/v1/blocks/recent?limit=100`,
    );
    const tags = new Set<string>();
    for (const { block_id: id } of blocks) {
      const block = await readJson<BlockDocument>(`${facts.api_url}/v1/blocks/${id}`);
      if (block.registered_cut !== null) tags.add(`${block.payout_address} ${block.miner_tag}`);
    }
    for (const place of [0, 1]) assert.ok(tags.has(`${address(8 + place)} miner ${place}`));
  });

  test('[STRATUM-05] svc-miner mines a block over WebSocket with the first OpenCL device that it lists', async (t) => {
    const listing = new Program('svc-miner', ['--list-devices', '--json'], directory);
    assert.equal(await once(listing), 0, listing.stderr);
    const [device] = JSON.parse(listing.stdout) as { readonly index: number }[];
    if (device === undefined)
      return t.skip('passed over: no OpenCL driver here (Debian: pocl-opencl-icd)');
    const url = `ws://127.0.0.1:${portOf(addresses.listen_ws[0])}/`;
    const words = ['--url', url, '--user', `${address(2)}.card`, '--tag', 'a card'];
    const more = ['--device', `gpu:${device.index}`, '--no-stats', '--no-metrics'];
    const program = new Program('svc-miner', [...words, ...more], directory);
    try {
      await program.says(/accepted \([0-9]+\/0\) .*block accepted/);
    } finally {
      assert.equal(await program.stop(), 0);
    }
  });

  test('[STRATUM-05] svc-miner mines straight for a node, and waits for one that is not there yet', async () => {
    const node = facts.mining_url;
    const words = ['--node', 'http://127.0.0.1:9', '--node', node, '--tag', 'no bridge'];
    const more = ['--user', address(3), '--no-stats', '--no-metrics', '--device', 'cpu'];
    const where = ['--threads', '1', '--dataset-dir', 'dataset'];
    const program = new Program('svc-miner', [...words, ...more, ...where], directory);
    try {
      // At this difficulty one body has many blocks, and the node takes one of them.
      await program.says(/accepted \([1-9][0-9]*\/[0-9]+\) .*block accepted/);
    } finally {
      assert.equal(await program.stop(), 0);
    }
    await makeCuts(facts.api_url, 3);
    const { blocks } = await readJson<{ blocks: { block_id: string }[] }>(
      `${facts.api_url}/v1/blocks/recent?limit=100`,
    );
    const payees = new Set<string>();
    for (const { block_id: id } of blocks) {
      const block = await readJson<BlockDocument>(`${facts.api_url}/v1/blocks/${id}`);
      if (block.miner_tag === 'no bridge') payees.add(block.payout_address);
    }
    assert.deepEqual([...payees], [address(3)]);
    const lonely = new Program(
      'svc-miner',
      ['--node', 'http://127.0.0.1:9', ...more, ...where],
      directory,
    );
    await lonely.says(/no connection to http:\/\/127\.0\.0\.1:9\/: no node answers, again in 2 s/);
    assert.equal(await lonely.stop(), 0);
  });

  test('SIGUSR1 opens no inspector in the bridge, nor in the development network', async () => {
    for (const program of [bridge, network]) await expectNoInspector(program.probe);
  });

  test('a node that restarts: miners are told, keep their job, and its block is accepted after', async () => {
    const made = await miner(tcp(), { username: `${address(7)}.keeper` });
    await made.seen('job');
    const before = made.effects.length;
    // A snapshot restarts the node on the same ports.
    const answer = await fetch(`${facts.api_url}/v1/dev/snapshot`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_version: 1 }),
    });
    assert.equal(answer.status, 200);
    await made.seen('show', (effect) => effect.text.includes('does not answer'));
    await made.seen('show', (effect) => effect.text.includes('back'));
    assert.ok(made.effects.slice(before).every((effect) => effect.type !== 'failed'));
    const found = await made.mineBlock();
    assert.deepEqual([found.isAccepted, found.block], [true, 'accepted']);
  });

  test('a node that is gone: the miner stays, and its share counts all the same', async () => {
    const made = await miner(tcp(), { username: `${address(8)}.keeper` });
    await made.seen('job');
    await network.stop('SIGKILL');
    await made.seen('show', (effect) => effect.text.includes('does not answer'));
    const found = await made.mineBlock();
    assert.deepEqual([found.isAccepted, found.block, made.isClosed], [true, 'unknown', false]);
  });

  test('options that cannot be understood are told with what was expected', async () => {
    const cases: readonly (readonly [string[], RegExp, number])[] = [
      [['--listen', 'nowhere'], /--listen: expected an address and a port/, 2],
      [['--listen-tls', '127.0.0.1:0'], /needs --tls-certificate and --tls-key/, 2],
      [['--ws-origin', 'evil'], /--ws-origin: expected an origin/, 2],
      [['--node', 'ftp://x'], /--node: expected an address/, 2],
      [['--listen', 'off'], /nothing to listen on/, 2],
      [['--no-such-option'], /unknown option/, 2],
      [['--node', 'http://127.0.0.1:9', '--listen', '127.0.0.1:0'], /is a node running/, 3],
    ];
    for (const [words, message, code] of cases) {
      const program = new Program('svc-bridge', words, directory);
      const left = await once(program);
      assert.equal(left, code, words.join(' '));
      assert.match(program.stderr, message);
    }
    const help = new Program('svc-bridge', ['--help'], directory);
    assert.equal(await once(help), 0);
    for (const option of ['--listen-ws', '--ws-origin', '--listen-tls', '--node', '28771', '28792'])
      assert.ok(help.stdout.includes(option), option);
  });
});

async function once(program: Program): Promise<number | null> {
  await new Promise((resolve) => program.child.once('close', resolve));
  return program.child.exitCode;
}
