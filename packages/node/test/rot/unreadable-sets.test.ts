import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { findDamage, LAYOUT, LevelStore } from 'svc-storage';
import { init } from 'svc-wasm';
import { endFailing, failReads } from '../../../storage/test/testing/failing-disk.ts';
import { ChainCore } from '../../src/chain/chain-core.ts';
import { DirectoryDisk } from '../../src/chain/chain-disk.ts';
import { type ChainPlace, chainPlace } from '../../src/cli/store/open-store.ts';
import { repairChain } from '../../src/cli/store/repair.ts';
import { keepGenesis, loadGenesis } from '../../src/config/genesis-file.ts';
import { ChainFixture } from '../../src/testing/chain-fixture.ts';
import { cutToInstall } from '../../src/testing/cut-to-install.ts';

await init();

const CUTS = 3;
const WHOLE_FILE = { from: 0, to: 1 << 20 };

describe('repairing a store beside a validator set that the disk cannot read', () => {
  let fixture: ChainFixture;
  let sound: string;

  before(async () => {
    fixture = await ChainFixture.create({ validators: 4 });
    while (fixture.head.height < CUTS) await fixture.cut([]);
    sound = temporaryDirectory(undefined, MEMORY_PARENT);
    keepGenesis(sound, { genesis: fixture.genesis, chainId: fixture.chainId });
    const chain = await ChainCore.open({
      directory: join(sound, 'chain'),
      genesis: fixture.genesis,
      mode: 'archive',
      clock: SYSTEM_CLOCK,
      log: SILENT_LOG,
      onFatal: (error) => assert.fail(String(error)),
    });
    while (chain.head.height < CUTS)
      await chain.install(await cutToInstall(fixture, chain.head.height + 1));
    await chain.close();
    await (await LevelStore.open(join(sound, 'chain', 'db'))).close();
  });

  after(() => fixture.close());

  async function copy(): Promise<ChainPlace> {
    const dataDir = temporaryDirectory(undefined, MEMORY_PARENT);
    cpSync(sound, dataDir, { recursive: true });
    return await chainPlace({ network: 'development', dataDir, storageMode: 'archive' });
  }

  async function repaired(place: ChainPlace): Promise<{ result: string; said: string }> {
    const said: string[] = [];
    const result = await repairChain(place, {
      source: async () => assert.fail('nothing has to be fetched'),
      keepsOld: false,
      say: (words) => void said.push(words),
    });
    return { result, said: said.join('\n') };
  }

  /** Changes a record that another table has too. */
  async function rot({ directory }: ChainPlace): Promise<void> {
    const level = await LevelStore.open(join(directory, 'db'));
    const { prefix } = LAYOUT.balances;
    const from = Uint8Array.of(prefix);
    const [first] = await level.range({ from, to: Uint8Array.of(prefix + 1), limit: 1 });
    assert.ok(first);
    const value = Buffer.from(first[1]).fill(0x5a, 0, 4);
    await level.write([{ type: 'put', key: first[0], value }], { sync: true });
    await level.close();
  }

  test('the file is named and removed where all else is sound', async (t) => {
    const place = await copy();
    failReads(t, { ending: '0.set', ...WHOLE_FILE });
    const { result, said } = await repaired(place);
    assert.equal(result, 'repaired');
    assert.match(said, /sets\/0\.set cannot be read by the disk and was removed: peers are asked/);
    assert.deepEqual(readdirSync(join(place.directory, 'sets')), []);
  });

  test('the file is named and left out where the store is made anew', async (t) => {
    const place = await copy();
    await rot(place);
    failReads(t, { ending: '0.set', ...WHOLE_FILE });
    const { result, said } = await repaired(place);
    assert.equal(result, 'repaired');
    assert.match(said, /the disk cannot read .*sets\/0\.set, it is left out: peers are asked/);
    assert.match(said, new RegExp(`the store is sound up to cut ${CUTS}`));
    endFailing(t);
    assert.deepEqual(readdirSync(join(place.directory, 'sets')), []);
    assert.equal(await findDamage(place.directory), undefined);
  });

  test('a start that needs the file, or the genesis, says which it is and what to do', async (t) => {
    const { directory, config } = await copy();
    failReads(t, { ending: '0.set', ...WHOLE_FILE });
    assert.throws(
      () => new DirectoryDisk(directory).sets.read(0),
      /^StoreDamagedError: .*sets\/0\.set is damaged: the disk cannot read it; run `svcd repair`/,
    );
    endFailing(t);
    failReads(t, { ending: 'genesis.json', ...WHOLE_FILE });
    assert.throws(() => loadGenesis(config), /genesis\.json.*the disk cannot read it.*backup/s);
  });
});
