import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { LEDGER_PARAMETERS, type LedgerParameters } from 'svc-ledger';
import { ChecksummedStore, exportSnapshot, importSnapshot } from 'svc-storage';
import { parseRecovery } from 'svc-wasm/protocol';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { RecordedLog } from '../testing/cluster-log.ts';
import { NetworkNode, packed, until } from './testing/network-node.ts';

const PARAMETERS = LEDGER_PARAMETERS.development;
const HEIGHT = 7;
const END = 12;

async function recoveredFixture(t: TestContext): Promise<ChainFixture> {
  const fixture = await ChainFixture.create({ validators: 4 });
  t.after(() => fixture.close());
  await fixture.runTo(HEIGHT);
  fixture.recover([0, 2]);
  await fixture.runTo(END);
  return fixture;
}

function startNode(
  t: TestContext,
  { genesis }: ChainFixture,
  parameters: LedgerParameters,
  bootstrap: readonly string[],
  log = SILENT_LOG,
): Promise<NetworkNode> {
  const directory = temporaryDirectory(t);
  const more = { parameters, log };
  return NetworkNode.start(t, genesis, bootstrap, directory, 'archive', 0, more);
}

async function server(t: TestContext, fixture: ChainFixture): Promise<NetworkNode> {
  const node = await startNode(t, fixture, fixture.parameters, []);
  for (let height = 1; height <= END; height++)
    assert.equal((await node.chain.install(await packed(fixture, height))).type, 'installed');
  return node;
}

test('a node with the file syncs over a recovery from the genesis', async (t) => {
  const fixture = await recoveredFixture(t);
  const first = await server(t, fixture);
  const second = await startNode(t, fixture, fixture.parameters, [first.address]);
  await until(() => second.chain.head.height === END, 'sync');
  assert.deepEqual(second.chain.head, fixture.head);
  assert.deepEqual(second.fatal, []);
});

test('a node without the file, or with another one, stops before it, logs why, and bans no peer', async (t) => {
  const fixture = await recoveredFixture(t);
  const first = await server(t, fixture);
  const other = await ChainFixture.create({ validators: 4 });
  await other.runTo(HEIGHT);
  const altered = { ...PARAMETERS, recoveries: [parseRecovery(other.recover([1, 2]))] };
  for (const parameters of [PARAMETERS, altered]) {
    const log = new RecordedLog();
    const node = await startNode(t, fixture, parameters, [first.address], log);
    const warning = () => log.entries.find(({ message }) => message.includes('recovery'));
    await until(() => warning() !== undefined, 'the warning');
    assert.deepEqual([warning()?.level, warning()?.fields], ['error', { height: HEIGHT + 1 }]);
    await until(() => node.chain.head.height === HEIGHT, 'the cuts before');
    assert.ok(!log.entries.some(({ message }) => message.includes('banned')));
    assert.deepEqual(node.fatal, []);
    await node.close();
  }
});

/** A data directory that was filled from a snapshot of the head. */
async function imported(t: TestContext, fixture: ChainFixture): Promise<string> {
  const data = temporaryDirectory(t);
  const directory = join(data, 'chain');
  mkdirSync(directory);
  const level = await ChecksummedStore.open(join(directory, 'db'));
  const { chainId, store } = fixture;
  const options = { chainId, mode: 'full', directory, checkCertificate: () => {} } as const;
  await importSnapshot(level, exportSnapshot(store), options);
  await level.close();
  return data;
}

const { interval } = PARAMETERS;

for (const { name, recoversAt, snapshotAt, withoutFile } of [
  { name: 'of its epoch', recoversAt: HEIGHT, snapshotAt: HEIGHT + 2, withoutFile: 'refused' },
  {
    name: 'of an epoch that begins with it',
    recoversAt: interval,
    snapshotAt: interval + 2,
    withoutFile: 'follows',
  },
  {
    name: 'of a later epoch',
    recoversAt: HEIGHT,
    snapshotAt: interval + 2,
    withoutFile: 'follows',
  },
])
  test(`a node that begins with a snapshot from after a recovery follows the chain, ${name}; without the file: ${withoutFile}`, async (t) => {
    const fixture = await ChainFixture.create({ validators: 4 });
    t.after(() => fixture.close());
    await fixture.runTo(recoversAt);
    fixture.recover([0, 2]);
    await fixture.runTo(snapshotAt);
    const [named, unnamed] = [await imported(t, fixture), await imported(t, fixture)];
    const end = snapshotAt + 3;
    await fixture.runTo(end);
    const first = await startNode(t, fixture, fixture.parameters, []);
    for (let height = 1; height <= end; height++)
      assert.equal((await first.chain.install(await packed(fixture, height))).type, 'installed');
    const begin = (directory: string, parameters: LedgerParameters) => {
      const more = { parameters, log: SILENT_LOG };
      return NetworkNode.start(t, fixture.genesis, [first.address], directory, 'full', 0, more);
    };
    const follow = async (node: NetworkNode) => {
      assert.equal(node.chain.setAt(snapshotAt + 1)?.validators.length, 2);
      assert.equal(node.chain.setAt(recoversAt), undefined, 'the set before the recovery');
      await until(() => node.chain.head.height === end, 'the cuts after the snapshot');
      assert.deepEqual(node.chain.head, fixture.head);
      assert.deepEqual(node.fatal, []);
    };
    await follow(await begin(named, fixture.parameters));
    if (withoutFile === 'refused')
      await assert.rejects(begin(unnamed, PARAMETERS), /`recovery` does not name its file/);
    else await follow(await begin(unnamed, PARAMETERS));
  });
