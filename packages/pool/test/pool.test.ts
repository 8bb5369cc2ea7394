/**
 * A node, its wallet, a pool and miners as real processes: blocks are mined, distributed, paid and audited.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { selfSigned } from 'svc-base/node';
import {
  askAsHost,
  expectGoodMetrics,
  expectNoInspector,
  temporaryDirectory,
  until,
} from 'svc-base/testing';
import { createWalletClient } from 'svc-client';
import { readRoundDocument, roundFaults, roundRoot } from 'svc-mining';
import { burnAddress, init, parseAddress } from 'svc-wasm';
import { TestMiner, type TestMinerOptions, type Way } from '../../bridge/test/test-miner.ts';
import {
  makeCuts,
  type NetworkFacts,
  Program,
  portOf,
  readJson,
  startNetwork,
} from '../../mining/test/server/testing/processes.ts';
import { foreignAddresses } from './foreign-addresses.ts';
import { type PoolFacts, poolWords } from './pool-words.ts';

const ORIGIN = 'https://mine.example.org';
/** A reward is paid so many cuts after the anchor. */
const WINDOW_CUTS = 97;

interface PoolStatistics {
  readonly connections: number;
  readonly pool: {
    readonly rounds: number;
    readonly reward_height: number;
    readonly blocks: Readonly<Record<'found' | 'paid' | 'expired', number>>;
    readonly payouts: Readonly<Record<string, number>>;
    readonly owed: string;
    readonly fees: string;
    readonly carried: string;
    readonly held_addresses: number;
  };
}

describe('svc-pool between a development network and miners', () => {
  const certificate = selfSigned();
  const directory = temporaryDirectory({ after });
  const miners: TestMiner[] = [];
  let network: Program;
  let pool: Program;
  let hasMetrics = true;
  let facts: NetworkFacts;
  let addresses: PoolFacts;
  let intervalCuts: number;

  before(async () => {
    await init();
    foreign = foreignAddresses(6);
    network = startNetwork(directory, ['--validators', '1']);
    facts = await network.facts<NetworkFacts>();
    await makeCuts(facts.api_url, 1);
    writeFileSync(join(directory, 'cert.pem'), certificate.cert);
    writeFileSync(join(directory, 'key.pem'), certificate.key);
    const any = '127.0.0.1:0';
    const more = [
      ...['--solo-listen', any, '--pplns-listen-tls', any, '--pplns-listen-ws', any],
      ...['--solo-listen-tls', any, '--solo-listen-ws', any],
      ...['--ws-origin', ORIGIN, '--name', 'our pool'],
      ...['--tls-certificate', 'cert.pem', '--tls-key', 'key.pem'],
      ...['--payout-interval', '1', '--payout-threshold', '0.01', '--window', '100'],
    ];
    pool = new Program('svc-pool', poolWords({ facts, more }), directory);
    addresses = await pool.facts<PoolFacts>();
    const chain = await readJson<{ interval_cuts: number }>(`${facts.mining_url}/v1/mining/chain`);
    intervalCuts = chain.interval_cuts;
  });

  after(async () => {
    await Promise.all(miners.map((miner) => miner.close()));
    await pool?.stop();
    await network?.stop();
  });

  let foreign: readonly string[];
  /** The pool's own, and those of miners, whose keys the wallet does not have. */
  const account = (index: number): string =>
    index === 0 ? (facts.accounts[0]?.address as string) : (foreign[index] as string);
  const statistics = () => readJson<PoolStatistics>(`http://${addresses.web}/v1/stats`);

  async function connect(way: Way, more: Partial<TestMinerOptions>): Promise<TestMiner> {
    const username = `${account(1)}.rig`;
    const made = new TestMiner({ way, protocol: 'svc-mining-v1', username, intervalCuts, ...more });
    miners.push(made);
    await made.connect();
    return made;
  }

  async function balanceOf(address: string): Promise<bigint> {
    const { balance } = await readJson<{ balance: string }>(
      `${facts.api_url}/v1/address/${address}/balance`,
    );
    return BigInt(balance);
  }

  test('[SVC-06] [STRATUM-05] [STRATUM-07] miners of every way and form find blocks, and each block pays the pool', async () => {
    const tcp: Way = { type: 'tcp', port: portOf(addresses.pplns_listen[0]) };
    const tls: Way = {
      type: 'tls',
      port: portOf(addresses.pplns_listen_tls[0]),
      ca: certificate.cert,
    };
    const ws: Way = { type: 'ws', port: portOf(addresses.pplns_listen_ws[0]), origin: ORIGIN };
    const solo: Way = { type: 'tcp', port: portOf(addresses.solo_listen[0]) };
    const soloTls: Way = { ...tls, port: portOf(addresses.solo_listen_tls[0]) };
    const soloWs: Way = { type: 'ws', port: portOf(addresses.solo_listen_ws[0]), origin: ORIGIN };
    const ways = [
      [tcp, 'svc-mining-v1', account(1)],
      [tcp, 'svc-mining-v2', account(2)],
      [tls, 'svc-mining-v2', account(1)],
      [ws, 'svc-mining-v1', burnAddress('development')],
      [solo, 'svc-mining-v2', account(3)],
      [soloTls, 'svc-mining-v1', account(3)],
      [soloWs, 'svc-mining-v1', account(4)],
    ] as const;
    for (const [way, protocol, address] of ways) {
      const miner = await connect(way, { protocol, username: `${address}.rig` });
      const subscribed = await miner.seen('subscribed');
      assert.equal(subscribed.answer.poolAddress, account(0));
      const answer = await miner.mineBlock();
      assert.deepEqual([answer.isAccepted, answer.block], [true, 'accepted']);
    }
    await assert.rejects(connect({ ...ws, origin: 'https://evil.example' }, {}), /403/);
    await assert.rejects(connect({ ...soloWs, origin: 'https://evil.example' }, {}), /403/);
    await makeCuts(facts.api_url, 2);
    const { blocks } = await readJson<{ blocks: { block_id: string; payout_address: string }[] }>(
      `${facts.api_url}/v1/blocks/recent?limit=20`,
    );
    assert.equal(blocks.length, ways.length);
    for (const { block_id: id } of blocks) {
      const block = await readJson<{ payout_address: string; miner_tag: string }>(
        `${facts.api_url}/v1/blocks/${id}`,
      );
      assert.deepEqual([block.payout_address, block.miner_tag], [account(0), 'our pool']);
    }
    const { pool: books } = await statistics();
    assert.equal(books.blocks.found, ways.length);
  });

  test('[SVC-01] one network answers on all its sides: API, sockets, wallet, mining, validators, health, coin', async (t) => {
    const { api_url: api, wallet_url: wallet } = facts;
    assert.equal((await fetch(`${api}/health`)).status, 200);
    const head = await readJson<{ chain_id: string; finalized_height: number }>(
      `${api}/v1/chain/head`,
    );
    assert.equal(head.chain_id, facts.chain_id);
    const socket = new WebSocket(`${api.replace('http', 'ws')}/v1/ws`, 'svc.node-api.v1');
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    socket.close();
    const token = readFileSync(facts.wallet_token_file, 'utf8').trim();
    const client = createWalletClient({ url: wallet, token });
    const { address } = await client.call('new_address', {});
    assert.equal(JSON.parse(parseAddress(address)).network, 'development', 'read by the module');
    const { validators } = await readJson<{ validators: object[] }>(`${api}/v1/staking/validators`);
    assert.equal(validators.length, 1);
    const supply = await readJson<{ supply: object }>(`${api}/v1/economics/supply`);
    assert.ok(Object.keys(supply).length > 1);
    const metrics = await (await fetch(`http://${addresses.web}/metrics`)).text();
    await expectGoodMetrics(t, metrics);
    assert.match(metrics, /^svc_pool_finalized_height [1-9]/m);
  });

  test('svc-miner mines for the pool and keeps the shares that were acknowledged', async () => {
    const url = `svc+tcp://127.0.0.1:${portOf(addresses.pplns_listen[0])}#v2`;
    const words = ['--url', url, '--user', `${account(5)}.rig`, '--shares-dir', 'shares'];
    const listeners = ['--no-stats', '--no-metrics', '--device', 'cpu', '--threads', '1'];
    const dataset = ['--dataset-dir', 'dataset'];
    const miner = new Program('svc-miner', [...words, ...listeners, ...dataset], directory);
    try {
      await miner.says(/block accepted/);
    } finally {
      assert.equal(await miner.stop(), 0);
    }
  });

  test('rewards are distributed to the atom, paid once, and an address that the wallet refuses stops no other', async () => {
    const start = await Promise.all([1, 2, 3, 4, 5].map((index) => balanceOf(account(index))));
    const { pool: before } = await statistics();
    const blocks = before.blocks.found;
    await makeCuts(facts.api_url, WINDOW_CUTS);
    await until(async () => (await statistics()).pool.blocks.paid >= blocks, 'all are distributed');
    await until(async () => (await statistics()).pool.held_addresses === 1, 'one is refused');
    await until(async () => ((await statistics()).pool.payouts['sent'] ?? 0) >= 1, 'sent');
    await pool.stop('SIGTERM');
    const web = await restart();
    // A payment is final with the block that carries it.
    const way: Way = { type: 'tcp', port: portOf(addresses.pplns_listen[0]) };
    const miner = await connect(way, {});
    await until(async () => {
      await miner.mineBlock();
      await makeCuts(facts.api_url, 2);
      const { payouts } = (await statistics()).pool;
      return payouts['sent'] === undefined && payouts['open'] === undefined;
    }, 'every payment is final');
    const head = await readJson<{ finalized_height: number }>(`${facts.api_url}/v1/node/sync`);
    await until(
      async () => (await statistics()).pool.reward_height >= head.finalized_height,
      'every reward is distributed',
    );
    const rounds = await readAll(web);
    let credited = 0n;
    let paid = 0n;
    for (const { round, root } of rounds) {
      assert.deepEqual(roundFaults(round), []);
      assert.equal(roundRoot(round), root);
      const block = await readJson<{ reward: { state: string; amount: string } }>(
        `${facts.api_url}/v1/blocks/${round.blockId}`,
      );
      assert.deepEqual(block.reward.state, 'paid');
      assert.equal(BigInt(block.reward.amount), round.reward);
      paid += round.reward;
      credited += round.entries.reduce((sum, { atoms }) => sum + atoms, 0n);
    }
    const { pool: totals } = await statistics();
    assert.equal(credited + BigInt(totals.fees) + BigInt(totals.carried), paid);
    await checkMiners(start, credited, BigInt(totals.owed));
  });

  /** The miners' income on the chain equals the payouts, less the fees of the payments. */
  async function checkMiners(start: readonly bigint[], credited: bigint, owed: bigint) {
    const { payouts } = await readJson<{
      payouts: { state: string; atoms: string; fee: string }[];
    }>(`http://${addresses.web}/v1/payouts`);
    const done = payouts.filter(({ state }) => state === 'final');
    const sent = done.reduce((sum, { atoms }) => sum + BigInt(atoms), 0n);
    const fees = done.reduce((sum, { fee }) => sum + BigInt(fee), 0n);
    assert.equal(sent + owed, credited);
    assert.ok(done.length > 0);
    const now = await Promise.all([1, 2, 3, 4, 5].map((index) => balanceOf(account(index))));
    const received = now.reduce((sum, balance, at) => sum + balance - (start[at] ?? 0n), 0n);
    assert.equal(received, sent - fees);
  }

  /** The same pool on its books, which begins no further payouts: no balance is that large. */
  async function restart(): Promise<string> {
    const more = [
      ...['--solo-listen', '127.0.0.1:0', '--window', '100', '--no-metrics'],
      ...['--payout-interval', '1', '--payout-threshold', '1000000'],
    ];
    pool = new Program('svc-pool', poolWords({ facts, more }), directory);
    hasMetrics = false;
    addresses = await pool.facts<PoolFacts>();
    return addresses.web;
  }

  async function readAll(web: string) {
    const { pool: totals } = await statistics();
    const rounds = [];
    for (let number = 1; number <= totals.rounds; number++)
      rounds.push(readRoundDocument(await readJson(`http://${web}/v1/rounds/${number}`)));
    return rounds;
  }

  test('[STRATUM-07] [AUTH-05] metrics are served on the web listener unless it is started without', async () => {
    if (hasMetrics) {
      await pool.stop();
      await restart();
    }
    assert.equal((await fetch(`http://${addresses.web}/metrics`)).status, 404, '--no-metrics');
    const { rounds } = (await statistics()).pool;
    await pool.stop();
    const more = ['--wallet', 'off'];
    pool = new Program('svc-pool', poolWords({ facts, more }), directory);
    addresses = await pool.facts<PoolFacts>();
    const answer = await fetch(`http://${addresses.web}/metrics`);
    assert.equal(answer.status, 200, 'without any authentication');
    const text = await answer.text();
    assert.match(text, /^svc_pool_info\{version="[^"]+",network="development"\} 1$/m);
    assert.match(text, new RegExp(`^svc_pool_rounds_total ${rounds}$`, 'm'));
    for (const name of ['x-forwarded-for', 'forwarded', 'via'])
      assert.equal(
        (await fetch(`http://${addresses.web}/metrics`, { headers: { [name]: 'for=192.0.2.1' } }))
          .status,
        403,
        'private behind a reverse proxy',
      );
    assert.equal((await fetch(`http://${addresses.web}/metrics`, { method: 'POST' })).status, 405);
    const web = `http://${addresses.web}`;
    const asked = [askAsHost(`${web}/metrics`, 'evil.example'), askAsHost(web, 'pool.example')];
    assert.deepEqual(await Promise.all(asked), [403, 200], 'private to names bound here');
  });

  test('svc-miner verify-round finds a round as it should be, and says what is not', async () => {
    const { pool: totals } = await statistics();
    const audit = async (round: number, poolUrl: string, ...more: string[]) => {
      const words = ['verify-round', String(round), '--pool', poolUrl, '--user', account(5)];
      const program = new Program(
        'svc-miner',
        [...words, '--shares-dir', 'shares', ...more],
        directory,
      );
      return { code: await program.ended(), text: `${program.stdout}${program.stderr}` };
    };
    const web = `http://${addresses.web}`;
    const node = ['--node', facts.api_url];
    let audited = 0;
    for (let round = 1; round <= totals.rounds; round++) {
      const document = readRoundDocument(await readJson(`${web}/v1/rounds/${round}`)).round;
      if (!document.entries.some(({ address }) => address === account(5))) continue;
      const { code, text } = await audit(round, web, ...node);
      assert.equal(code, 0, text);
      assert.match(text, /ok {2}the ledger paid [0-9]+ atoms for the block/);
      assert.match(text, /ok {2}(?:[1-9][0-9]*|0) own shares with [0-9]+ hashes lie in its window/);
      audited++;
      if (/ok {2}the payment carries the root of round/.test(text)) break;
    }
    assert.ok(audited > 0, 'a round of this miner was audited');
    const missing = await audit(totals.rounds + 1, web);
    assert.equal(missing.code, 5, missing.text);
  });

  test('the page is served beside documents that name its miners and how to connect', async () => {
    const page = await fetch(`http://${addresses.web}/`);
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.match(await page.text(), /<script type="module" src="\/assets\//);
    const { pool } = (await readJson(`http://${addresses.web}/v1/stats`)) as {
      pool: { urls: { pplns: string[] } };
    };
    assert.match(pool.urls.pplns[0] ?? '', /^svc\+tcp:\/\//);
    const miner = (await readJson(`http://${addresses.web}/v1/miners/${account(1)}`)) as {
      workers: { worker: string; hashrate: number }[];
    };
    assert.ok(miner.workers.some(({ worker }) => worker === 'rig'));
    for (const path of ['/v1/rounds/0', '/v1/miners/../x', '/no', '/v1/rounds/99999'])
      assert.equal((await fetch(`http://${addresses.web}${path}`)).status, 404, path);
  });

  test('SIGUSR1 opens no inspector', async () => {
    await expectNoInspector(pool.probe);
  });

  test('unusable options are reported with what was expected', async () => {
    const off = ['--wallet', 'off'];
    const cases: readonly (readonly [string[], RegExp, number])[] = [
      [['--wallet', 'off'], /--address is missing/, 2],
      [['--address', account(0), ...off, '--node', 'http://127.0.0.1:9'], /is a node running/, 3],
      [['--address', 'svc1notours', ...off, '--node', facts.mining_url], /--address/, 2],
      [[...poolWords({ facts })], /one pool at a time has a database/, 3],
      [
        [...poolWords({ facts }), '--database', 'postgres://127.0.0.1:9/pool'],
        /the PostgreSQL database: .*ECONNREFUSED/,
        3,
      ],
    ];
    for (const [words, message, code] of cases) {
      const program = new Program('svc-pool', words, directory);
      assert.equal(await program.ended(), code, `${words.join(' ')}: ${program.stderr}`);
      assert.match(program.stderr, message);
    }
  });
});
