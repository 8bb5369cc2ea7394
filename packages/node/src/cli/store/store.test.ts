import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory, until } from 'svc-base/testing';
import { ValidatorKey } from 'svc-consensus/shell';
import { formatGenesis } from 'svc-ledger';
import { ChecksummedStore, openStore } from 'svc-storage';
import { ChainCore } from '../../chain/chain-core.ts';
import type { NodeCore } from '../../compose/node-core.ts';
import { openOwnSeat } from '../../compose/own-validator.ts';
import type { NodeConfig } from '../../config/node-config.ts';
import { ChainFixture } from '../../testing/chain-fixture.ts';
import { type Ended, svcd as run, SvcdProcess } from '../testing/svcd.ts';
import { storeDocument, type Wanted } from './store-document.ts';

const CLOCK = new ManualClock();

describe('commands on a store', () => {
  const HEIGHT = 12;
  let directory: string;
  let chain: ChainFixture;
  let payment: string;
  let block: string;

  /** A real chain in the data directory `node`, with a payment in cut 2 and blocks along the way. */
  before(async () => {
    directory = temporaryDirectory();
    mkdirSync(join(directory, 'node', 'chain'), { recursive: true });
    const keyValues = await ChecksummedStore.open(join(directory, 'node', 'chain', 'db'));
    chain = await ChainFixture.create({ keyValues, validators: 2 });
    writeFileSync(join(directory, 'node', 'genesis.json'), formatGenesis(chain.genesis));
    const wire = await chain.pay(0, chain.address(1), 5_000n);
    const mined = chain.mine([wire], { tag: 'a miner' });
    await chain.cut([mined]);
    const executed = await chain.cut([chain.mine([])]);
    payment = executed.result.events.outcomes[0]?.transactionId as string;
    block = mined.block.id;
    await chain.runTo(HEIGHT - 1);
    await chain.cut([chain.mine([await chain.pay(0, chain.address(1), 5_000n)])]);
    await chain.close();
  });

  function svcd(words: readonly string[], data = 'node'): Promise<Ended> {
    return run([...words, '--network', 'development', '--data-dir', data], { directory });
  }

  async function json(words: readonly string[], data = 'node'): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await svcd([...words, '--json'], data);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  function openCore(data: string): Promise<ChainCore> {
    return ChainCore.open({
      directory: join(directory, data, 'chain'),
      genesis: chain.genesis,
      mode: data === 'node' ? 'archive' : 'full',
      clock: CLOCK,
      log: SILENT_LOG,
      onFatal: (error) => assert.fail(String(error)),
      cacheBytes: 1 << 20,
    });
  }

  /** Builds the same next cut as the node whose state it took over, which executes what waits. */
  async function expectGoesOn(data: string): Promise<void> {
    const built: string[] = [];
    for (const name of ['node', data]) {
      const core = await openCore(name);
      const request = { proposer: 0, previousRound: 0, previousSigners: 3n, evidence: [] };
      const cut = await core.build({ height: HEIGHT + 1, ...request });
      built.push(cut?.value ?? assert.fail('nothing was built'));
      assert.equal(core.recentCutId(2), chain.cuts[1]?.cutId, 'blocks may be anchored there');
      await core.close();
    }
    assert.equal(built[1], built[0]);
  }

  /** The same in this process, which costs less. */
  function found(kind: Wanted['kind'], id: string): Promise<Record<string, unknown>> {
    const options = { network: 'development', dataDir: join(directory, 'node') };
    return storeDocument({ kind, id }, options) as Promise<Record<string, unknown>>;
  }

  test('inspect shows how far a store is, what it keeps and how large it is', async () => {
    const document = await json(['inspect']);
    assert.equal(document['chain_id'], chain.chainId);
    assert.deepEqual(document['head'], {
      height: HEIGHT,
      cut_id: chain.head.cutId,
      state_root: chain.head.stateRoot,
    });
    assert.deepEqual(document['retention'], {
      mode: 'archive',
      first_height: 1,
      indexed_from: 1,
      blocks_from: 1,
    });
    const bytes = document['bytes'] as Record<string, number>;
    assert.equal(bytes['genesis.json'], statSync(join(directory, 'node', 'genesis.json')).size);
    assert.ok((bytes['chain'] ?? 0) > 10_000);
    const { stdout } = await svcd(['inspect']);
    assert.match(stdout, new RegExp(`^head\\.cut_id +${chain.head.cutId}$`, 'm'));
  });

  test('inspect finds cuts, blocks and transactions by id', async () => {
    const byHeight = await json(['inspect', 'cut', '1']);
    const byId = await found('cut', chain.cuts[0]?.cutId as string);
    const mined = await found('block', block);
    const paid = await found('transaction', payment);
    assert.deepEqual(byHeight, JSON.parse(JSON.stringify(byId)));
    assert.deepEqual(byHeight['registered_blocks'], [block]);
    assert.deepEqual(byHeight['certificate_signers'], [0, 1]);
    assert.equal(byHeight['parent_cut_id'], chain.chainId);
    assert.equal(mined['miner_tag'], 'a miner');
    assert.equal(mined['payout_address'], chain.text(9));
    assert.deepEqual([mined['registered_cut'], mined['executed_cut']], [1, 2]);
    assert.deepEqual(mined['transactions'], [payment]);
    assert.deepEqual(
      [paid['outcome'], paid['executed_cut'], paid['block_id']],
      ['finalized', 2, block],
    );
    const contents = paid['contents'] as { body?: unknown };
    assert.ok(JSON.stringify(contents).includes(chain.text(1)));
  });

  test('what is not there ends with 1', async () => {
    const { code, stdout, stderr } = await svcd(['inspect', 'cut', '13']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /there is no cut 13 in this store/);
    for (const [kind, id] of [
      ['cut', 'ab'.repeat(48)],
      ['block', 'ab'.repeat(48)],
      ['block', '../x'],
      ['transaction', 'ab'.repeat(48)],
    ] as const) {
      await assert.rejects(found(kind, id), { exitCode: 1 });
    }
    const nowhere = await svcd(['inspect', '--genesis', 'node/genesis.json'], 'nowhere');
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /there is no chain in .*nowhere yet/);
    assert.equal(existsSync(join(directory, 'nowhere')), false, 'looking makes no directory');
  });

  test('a store that is held is refused with the name of its holder', async () => {
    const held = await openStore({
      directory: join(directory, 'node', 'chain'),
      chainId: chain.chainId,
      parameters: chain.parameters,
      mode: 'archive',
    });
    try {
      for (const words of [['inspect'], ['reindex']]) {
        const { code, stderr } = await svcd(words);
        assert.equal(code, 5, words.join(' '));
        assert.ok(stderr.includes(`is held by process ${process.pid} on host`), stderr);
      }
    } finally {
      await held.close();
    }
  });

  test('a snapshot that was exported is imported elsewhere, if it is of the cut that is trusted', async () => {
    const made = await svcd(['snapshot', 'export', 'state.svc']);
    assert.deepEqual([made.code, made.stdout], [0, `${chain.head.cutId}\n`], made.stderr);
    const file = join(directory, 'state.svc');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const genesis = ['--genesis', 'node/genesis.json'];
    const other = await svcd(
      ['snapshot', 'import', 'state.svc', '--trust-cut', 'ab'.repeat(48), ...genesis],
      'other',
    );
    assert.equal(other.code, 5);
    assert.match(
      other.stderr,
      new RegExp(`the snapshot is of cut ${chain.head.cutId}, not of abab`),
    );
    assert.equal(existsSync(join(directory, 'other', 'chain')), false, 'nothing is left behind');
    const trusted = ['snapshot', 'import', 'state.svc', '--trust-cut', chain.head.cutId];
    const taken = await svcd([...trusted, ...genesis], 'copy');
    assert.deepEqual([taken.code, taken.stdout], [0, `${HEIGHT}\n`], taken.stderr);
    const document = await json(['inspect'], 'copy');
    assert.deepEqual(document['head'], {
      height: HEIGHT,
      cut_id: chain.head.cutId,
      state_root: chain.head.stateRoot,
    });
    assert.equal((document['retention'] as { first_height: number }).first_height, HEIGHT);
    await expectGoesOn('copy');
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(join(directory, 'damaged.svc'), bytes);
    const damaged = await svcd(
      ['snapshot', 'import', 'damaged.svc', ...trusted.slice(3), ...genesis],
      'other',
    );
    assert.equal(damaged.code, 1);
    assert.equal(existsSync(join(directory, 'other', 'chain')), false);
    const reindexed = await svcd(['reindex'], 'copy');
    assert.equal(reindexed.code, 5);
    assert.match(reindexed.stderr, /only an archive can be executed again/);
  });

  test('an import that is killed leaves no chain, and the next one begins anew', async (t) => {
    const pipe = join(directory, 'pipe.svc');
    execFileSync('mkfifo', [pipe]);
    const flags = ['--trust-cut', chain.head.cutId, '--genesis', 'node/genesis.json'];
    const words = ['--network', 'development', '--data-dir', 'killed', ...flags];
    const killed = new SvcdProcess(['snapshot', 'import', 'pipe.svc', ...words], { directory });
    t.after(() => killed.child.kill('SIGKILL'));
    const writing = openSync(pipe, 'r+');
    const bytes = readFileSync(join(directory, 'state.svc'));
    writeSync(writing, bytes, 0, Math.min(4_096, bytes.length >> 1));
    const inside = (name: string): string => join(directory, 'killed', name);
    await until(
      () => existsSync(inside('chain.imported/chain/db/CURRENT')),
      'the import has begun',
    );
    assert.equal(existsSync(inside('chain')), false, 'there is no chain before it is proven');
    const second = await svcd(['snapshot', 'import', 'state.svc', ...flags], 'killed');
    assert.equal(second.code, 5, second.stderr);
    assert.match(second.stderr, /another import into .* is under way/);
    const node = await svcd(['run', '--genesis', 'node/genesis.json'], 'killed');
    assert.equal(node.code, 5, node.stderr);
    assert.match(node.stdout + node.stderr, /an import into .* is under way/);
    assert.equal(existsSync(inside('chain')), false, 'no node begins beside an import');
    killed.child.kill('SIGKILL');
    await killed.end();
    closeSync(writing);
    const again = await svcd(['snapshot', 'import', 'state.svc', ...flags], 'killed');
    assert.deepEqual([again.code, again.stdout], [0, `${HEIGHT}\n`], again.stderr);
    assert.match(again.stderr, /removed what a broken-off import had left/);
    assert.deepEqual(readdirSync(join(directory, 'killed')).sort(), ['chain', 'genesis.json']);
  });

  test('an import that finds a chain at its end keeps what it has proven', async (t) => {
    const pipe = join(directory, 'late.svc');
    execFileSync('mkfifo', [pipe]);
    const flags = ['--trust-cut', chain.head.cutId, '--genesis', 'node/genesis.json'];
    const words = ['--network', 'development', '--data-dir', 'late', ...flags];
    const importing = new SvcdProcess(['snapshot', 'import', 'late.svc', ...words], { directory });
    t.after(() => importing.child.kill('SIGKILL'));
    const inside = (name: string): string => join(directory, 'late', name);
    const writing = await open(pipe, 'w');
    mkdirSync(inside('chain/db'), { recursive: true });
    await writing.writeFile(readFileSync(join(directory, 'state.svc')));
    await writing.close();
    const end = await importing.end();
    assert.equal(end.code, 5, end.stderr);
    assert.match(end.stderr, /chain was begun while the snapshot was imported/);
    assert.ok(existsSync(inside('chain/db')), 'the chain is left alone');
    rmSync(inside('chain'), { recursive: true });
    renameSync(inside('chain.imported/chain'), inside('chain'));
    const { head } = await json(['inspect'], 'late');
    assert.equal((head as { height: number }).height, HEIGHT);
  });

  test('a snapshot whose certificate was not signed by the validators is refused, whoever is trusted', async () => {
    const [whole, forged] = ['state.svc', 'forged.svc'].map((name) => join(directory, name));
    const bytes = readFileSync(whole as string);
    const { certificate } = chain.cuts.at(-1) ?? assert.fail('there is no cut');
    const at = bytes.indexOf(certificate as Uint8Array);
    assert.ok(at > 0);
    const last = at + (certificate as Uint8Array).length - 1_000;
    bytes[last] = (bytes[last] as number) ^ 1;
    const end = bytes.length - 48;
    createHash('sha384').update(bytes.subarray(0, end)).digest().copy(bytes, end);
    writeFileSync(forged as string, bytes);
    const words = ['snapshot', 'import', 'forged.svc', '--trust-cut', chain.head.cutId];
    const refused = await svcd([...words, '--genesis', 'node/genesis.json'], 'other');
    assert.equal(refused.code, 5, refused.stderr);
    assert.match(refused.stderr, /the snapshot is not proven: .*signature/);
    assert.equal(existsSync(join(directory, 'other', 'chain')), false, 'nothing is left behind');
  });

  test('[OPS-13] a validator takes no snapshot, and does not start from one', async () => {
    const validator = { consensus_key_file: 'key', password_file: 'password' };
    const config = { proof_of_work: { mode: 'full' }, validator, genesis: 'node/genesis.json' };
    writeFileSync(join(directory, 'validator.json'), JSON.stringify(config));
    const words = ['snapshot', 'import', 'state.svc', '--trust-cut', chain.head.cutId];
    const refused = await svcd([...words, '--config', 'validator.json'], 'other');
    assert.equal(refused.code, 5, refused.stderr);
    assert.match(refused.stderr, /a validator is never started from a snapshot/);
    const started = await openCore('copy');
    const key = ValidatorKey.fromSeed((chain.keys.consensus[0] as { seed: Uint8Array }).seed);
    const wish = {
      config: {} as NodeConfig,
      keys: { key, heartbeat: null },
      core: { chain: started } as unknown as NodeCore,
      newSignState: true,
      clock: CLOCK,
      log: SILENT_LOG,
    };
    await assert.rejects(openOwnSeat(wish, new AsyncDisposableStack()), {
      name: 'ValidatorHistoryError',
      message: /nothing before cut 13.* syncs from the genesis/,
    });
    await started.close();
  });

  test('reindex executes every cut again and arrives at the same state', async () => {
    const done = await svcd(['reindex', '--keep-old']);
    assert.deepEqual([done.code, done.stdout], [0, `${HEIGHT}\n`], done.stderr);
    assert.deepEqual(readdirSync(join(directory, 'node')).sort(), [
      'chain',
      'chain.old',
      'genesis.json',
    ]);
    const document = await json(['inspect']);
    assert.equal((document['head'] as { state_root: string }).state_root, chain.head.stateRoot);
    assert.equal((document['retention'] as { mode: string }).mode, 'archive');
    const blocked = await svcd(['reindex']);
    assert.equal(blocked.code, 5);
    assert.match(blocked.stderr, /chain\.old is in the way/);
    rmSync(join(directory, 'node', 'chain.old'), { recursive: true });
    const resumed = await svcd(['reindex']);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.deepEqual(readdirSync(join(directory, 'node')).sort(), ['chain', 'genesis.json']);
  });

  test('a replacement of the chain that a crash broke off is finished by the next command', async () => {
    const chainIn = (ending: string) => join(directory, 'node', `chain${ending}`);
    renameSync(chainIn(''), chainIn('.new'));
    mkdirSync(chainIn('.replaced'));
    const repaired = await svcd(['repair']);
    assert.deepEqual([repaired.code, repaired.stdout], [0, 'sound\n'], repaired.stderr);
    assert.deepEqual(readdirSync(join(directory, 'node')).sort(), ['chain', 'genesis.json']);
  });

  test('a genesis of another chain or network is refused', async () => {
    const text = formatGenesis({ ...chain.genesis, timeMillis: chain.genesis.timeMillis + 1 });
    writeFileSync(join(directory, 'other.json'), text);
    const other = await svcd(['inspect', '--genesis', 'other.json']);
    assert.equal(other.code, 2);
    assert.match(other.stderr, new RegExp(`holds chain ${chain.chainId}; use another --data-dir`));
    const network = await run(['inspect', '--data-dir', 'node'], { directory });
    assert.equal(network.code, 2);
    assert.match(
      network.stderr,
      /is of network development, and the node is configured for mainnet; add --network development/,
    );
  });
});
