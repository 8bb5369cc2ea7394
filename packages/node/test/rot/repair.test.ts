import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import {
  type ChainSource,
  ChecksummedStore,
  findDamage,
  LAYOUT,
  LevelStore,
  type RepairedStore,
  repairStore,
  type StoreTable,
} from 'svc-storage';
import { init } from 'svc-wasm';
import { ChainCore } from '../../src/chain/chain-core.ts';
import { svcd } from '../../src/cli/testing/svcd.ts';
import { keepGenesis } from '../../src/config/genesis-file.ts';
import { NetworkNode } from '../../src/network/testing/network-node.ts';
import { ChainFixture } from '../../src/testing/chain-fixture.ts';
import { cutToInstall } from '../../src/testing/cut-to-install.ts';
import { sourceOf } from './repair-from-sound.ts';

await init();

const CUTS = 14;
const EVERYTHING = { from: new Uint8Array(0), to: new Uint8Array(64).fill(0xff) };

describe('repairing a store', () => {
  let fixture: ChainFixture;
  let sound: string;
  /** Every record of the sound store. */
  let expected: readonly string[];

  before(async () => {
    fixture = await ChainFixture.create({ validators: 4 });
    for (let account = 0; fixture.head.height < CUTS; account = (account + 1) % 5) {
      const wire = await fixture.pay(account, fixture.address(7), 5_000n);
      await fixture.cut([fixture.mine([wire])]);
    }
    sound = temporaryDirectory(undefined, MEMORY_PARENT);
    keepGenesis(sound, { genesis: fixture.genesis, chainId: fixture.chainId });
    const chain = await openChain(sound);
    while (chain.head.height < CUTS)
      await chain.install(await cutToInstall(fixture, chain.head.height + 1));
    await chain.close();
    // Opening it again moves everything from the log into a table.
    await (await LevelStore.open(join(sound, 'chain', 'db'))).close();
    expected = await recordsOf(sound);
  });

  after(() => fixture.close());

  function openChain(directory: string): Promise<ChainCore> {
    return ChainCore.open({
      directory: join(directory, 'chain'),
      genesis: fixture.genesis,
      mode: 'archive',
      clock: { ...SYSTEM_CLOCK, after: () => () => {} },
      log: SILENT_LOG,
      onFatal: () => {},
      cacheBytes: 1 << 20,
    });
  }

  function copy(): string {
    const directory = temporaryDirectory(undefined, MEMORY_PARENT);
    cpSync(sound, directory, { recursive: true });
    return directory;
  }

  /** Overwrites some bytes of a record in the file that holds it. */
  function overwrite(directory: string, record: Uint8Array): void {
    const database = join(directory, 'chain', 'db');
    const names = readdirSync(database, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => /\.(ldb|bodies)$/.test(one))) {
      const bytes = readFileSync(join(database, name));
      const at = bytes.indexOf(record);
      if (at < 0) continue;
      bytes.fill(0xa5, at + 8, at + 40);
      writeFileSync(join(database, name), bytes);
      return;
    }
    assert.fail('no file holds the record');
  }

  /** Puts a record that was changed in several places, as a compaction would carry it on. */
  async function rot(directory: string, table: StoreTable): Promise<void> {
    const level = await LevelStore.open(join(directory, 'chain', 'db'));
    const { prefix } = LAYOUT[table];
    const [first] = await level.range({
      from: Uint8Array.of(prefix),
      to: Uint8Array.of(prefix + 1),
      limit: 1,
    });
    assert.ok(first, `there is no record of ${table}`);
    const value = Buffer.from(first[1]);
    for (const at of [0, value.length >> 1, value.length - 1])
      value[at] = (value[at] as number) ^ 0x5a;
    await level.write([{ type: 'put', key: first[0], value }], { sync: true });
    await level.close();
  }

  /** The chain of the fixture, as peers have it. */
  function fixtureSource(): ChainSource {
    return sourceOf(fixture.reader(), fixture.setAt(1) ?? assert.fail('there is no set'));
  }

  async function repaired(directory: string, source = fixtureSource()): Promise<RepairedStore> {
    return await repairStore({
      directory: join(directory, 'chain'),
      target: join(directory, 'new', 'chain'),
      chainId: fixture.chainId,
      parameters: fixture.parameters,
      mode: 'archive',
      source: async () => source,
    });
  }

  test('what is sound is called sound, and the damage of a store is found', async () => {
    const directory = copy();
    assert.equal(await findDamage(join(directory, 'chain')), undefined);
    await rot(directory, 'history');
    assert.match(String(await findDamage(join(directory, 'chain'))), /a record of history/);
  });

  test('rot that stops a node is found and repaired also where nothing reads it: the count of a file, a body that was replaced', async () => {
    const rotten = copy();
    await rot(rotten, 'bodyFiles');
    const replaced = copy();
    const level = await ChecksummedStore.open(join(replaced, 'chain', 'db'));
    const range = {
      from: Uint8Array.of(LAYOUT.blockBodies.prefix),
      to: Uint8Array.of(LAYOUT.blockBodies.prefix + 1),
    };
    const [first] = await level.range({ ...range, limit: 1 });
    assert.ok(first);
    await level.write([{ type: 'put', key: first[0], value: first[1] }], { sync: true });
    await level.close();
    overwrite(replaced, first[1]);
    for (const directory of [rotten, replaced]) {
      const damage = await findDamage(join(directory, 'chain'));
      assert.match(String(damage), /a record of bodyFiles|000001\.bodies is damaged/);
      const { mustExecute } = await repaired(directory);
      assert.equal(mustExecute, undefined);
      assert.deepEqual(await recordsOf(join(directory, 'new')), expected);
      assert.equal(await findDamage(join(directory, 'new', 'chain')), undefined);
    }
  });

  test('headers, bodies, certificates and blocks come back from peers, and every record is as it was', async (t) => {
    const peer = await NetworkNode.start(t, fixture.genesis);
    while (peer.chain.head.height < CUTS)
      await peer.chain.install(await cutToInstall(fixture, peer.chain.head.height + 1));
    const directory = copy();
    const { header, body, blocks } = await cutToInstall(fixture, 5);
    const certificate = await fixture.reader().certificate(5);
    const set = join(directory, 'chain', 'sets', '0.set');
    writeFileSync(set, readFileSync(set).fill(1, 60, 70));
    for (const bytes of [header, body, certificate, blocks[0]?.header, blocks[0]?.body])
      overwrite(directory, bytes as Uint8Array);
    const words = ['repair', '--network', 'development', '--data-dir', directory];
    const ended = await svcd([...words, '--storage-mode', 'archive', '--bootstrap', peer.address], {
      directory,
    });
    assert.deepEqual([ended.code, ended.stdout], [0, 'repaired\n'], ended.stderr);
    assert.match(ended.stderr, /\.ldb is damaged/);
    assert.match(ended.stderr, /0\.set is damaged and was removed/);
    assert.match(ended.stderr, /fetched and proven: [1-9]\d* headers, [1-9]/);
    assert.deepEqual(await recordsOf(directory), expected);
    assert.equal(await findDamage(join(directory, 'chain')), undefined);
    const chain = await openChain(directory);
    assert.deepEqual(chain.head, fixture.head);
    await chain.close();
  });

  test('each table is fetched, made anew, or named as one that takes executing the cuts', async () => {
    const executed: string[] = [];
    for (const table of Object.keys(LAYOUT) as StoreTable[]) {
      const has = expected.some((record) =>
        record.startsWith(LAYOUT[table].prefix.toString(16).padStart(2, '0')),
      );
      if (!has) continue;
      const directory = copy();
      await rot(directory, table);
      const { mustExecute } = await repaired(directory);
      if (mustExecute === undefined)
        assert.deepEqual(await recordsOf(join(directory, 'new')), expected, table);
      else executed.push(table);
    }
    assert.deepEqual(executed, [
      'positions',
      'validators',
      'keys',
      'spent',
      'spentLists',
      'anchors',
      'blocks',
      'bodies',
      'registered',
      'epoch',
      'economy',
      'pastCuts',
      'changes',
      'cutTransactions',
      'work',
      'events',
      'keyHeights',
    ]);
  });

  test('a state that is lost is executed again, and every record is as it was', async () => {
    const directory = copy();
    await rot(directory, 'spent');
    await rot(directory, 'economy');
    const words = ['repair', '--network', 'development', '--data-dir', directory];
    const ended = await svcd([...words, '--storage-mode', 'archive', '--keep-old'], { directory });
    assert.deepEqual([ended.code, ended.stdout], [0, 'repaired\n'], ended.stderr);
    assert.match(ended.stderr, /executing every cut again/);
    assert.deepEqual(
      readdirSync(join(directory, 'chain', 'sets')),
      readdirSync(join(sound, 'chain', 'sets')),
    );
    assert.deepEqual(await recordsOf(directory), expected);
    assert.ok(readdirSync(directory).includes('chain.old'));
  });

  test('bytes that peers made up are not taken', async () => {
    const directory = copy();
    await rot(directory, 'blockBodies');
    const sourceOfLies: ChainSource = {
      ...fixtureSource(),
      blocks: async (ids) => {
        const blocks = await fixtureSource().blocks(ids);
        return blocks.map((block) => ({
          ...block,
          body: Buffer.concat([block.body, Buffer.of(0)]),
        }));
      },
    };
    await assert.rejects(repaired(directory, sourceOfLies), /is lost, and no peer gave it/);
    assert.equal(readdirSync(directory).includes('new'), true);
    assert.deepEqual(readdirSync(join(directory, 'new')), [], 'nothing is left behind');
  });
});

/** All records of the store in a data directory, as text, but for what follows from the order in which bodies were written. */
async function recordsOf(directory: string): Promise<string[]> {
  const level = await ChecksummedStore.open(join(directory, 'chain', 'db'));
  const records: string[] = [];
  for await (const entries of level.scan(EVERYTHING))
    for (const [key, value] of entries)
      if (key[0] !== LAYOUT.bodyFiles.prefix)
        records.push(
          `${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('base64')}`,
        );
  await level.close();
  return records;
}
