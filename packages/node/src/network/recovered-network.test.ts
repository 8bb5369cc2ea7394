import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { LEDGER_PARAMETERS, type LedgerParameters } from 'svc-ledger';
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

test('a node without the file, or with another one, stops before it, says why, and bans nobody', async (t) => {
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
