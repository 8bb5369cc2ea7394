import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { LEDGER_PARAMETERS, type LedgerParameters } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import { parseRecovery } from 'svc-wasm/protocol';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { cutToInstall } from '../testing/cut-to-install.ts';
import { ChainCore } from './chain-core.ts';
import { RecoveryRefusedError } from './chain-errors.ts';

const PARAMETERS = LEDGER_PARAMETERS.development;
const INTERVAL = PARAMETERS.interval;

interface Opened {
  readonly chain: ChainCore;
  readonly fatal: unknown[];
}

async function open(
  fixture: ChainFixture,
  directory: string,
  parameters: LedgerParameters = fixture.parameters,
): Promise<Opened> {
  const fatal: unknown[] = [];
  const chain = await ChainCore.open({
    directory,
    genesis: fixture.genesis,
    parameters,
    mode: 'archive',
    clock: { ...SYSTEM_CLOCK, after: () => () => {} },
    log: SILENT_LOG,
    onFatal: (error) => fatal.push(error),
    cacheBytes: 1 << 20,
  });
  return { chain, fatal };
}

async function installTo(fixture: ChainFixture, chain: ChainCore, height: number): Promise<void> {
  while (chain.head.height < height) {
    const { type } = await chain.install(await cutToInstall(fixture, chain.head.height + 1));
    assert.equal(type, 'installed', `cut ${chain.head.height + 1}`);
  }
}

/** A chain of four validators, of which two continue after a height. */
async function recoveredFixture(height: number, more = 4): Promise<[ChainFixture, string]> {
  const fixture = await ChainFixture.create({ validators: 4 });
  await fixture.runTo(height);
  const text = fixture.recover([0, 2]);
  await fixture.runTo(height + more);
  return [fixture, text];
}

function following(...texts: readonly string[]): LedgerParameters {
  return { ...PARAMETERS, recoveries: texts.map((text) => parseRecovery(text)) };
}

test('a node with the file replays a recovered chain and has the same sets, over restarts', async (t) => {
  for (const height of [5, INTERVAL - 1, INTERVAL, INTERVAL + 1]) {
    const [fixture] = await recoveredFixture(height);
    const directory = temporaryDirectory(t);
    let { chain } = await open(fixture, directory);
    const { set } = fixture.parameters.recoveries[0] ?? assert.fail('no recovery');
    const before = fixture.setAt(height)?.id;
    for (const end of [height - 1, height, height + 1, fixture.head.height]) {
      await installTo(fixture, chain, end);
      await chain.close();
      ({ chain } = await open(fixture, directory));
      const next = fixture.setAt(end + 1)?.id;
      assert.deepEqual(chain.next.validators.id, next, `${height}: after ${end}`);
      if (end >= height) assert.deepEqual(next, end < height + 1 ? set.id : next);
      assert.deepEqual(chain.setAt(height)?.id, before);
      assert.equal(chain.view.get('epoch', '')?.validatorSetId, toHex(chain.next.validators.id));
    }
    for (const id of [before, set.id])
      assert.ok(id !== undefined && chain.setWithId(toHex(id)) !== undefined);
    assert.deepEqual(chain.head, fixture.head);
    await chain.close();
    await fixture.close();
  }
});

test('proposers after a recovery are of its set, and signers before it are no reason against them', async (t) => {
  const [fixture] = await recoveredFixture(5);
  const { chain } = await open(fixture, temporaryDirectory(t));
  t.after(() => chain.close());
  for (let height = 4; height < 9; height++) {
    await installTo(fixture, chain, height);
    const { set, proposers } = chain.next;
    assert.equal(set.stakes.length, height < 5 ? 4 : 2);
    assert.deepEqual([...proposers].sort(), height < 5 ? [0, 1, 2, 3] : [0, 1]);
  }
});

test('a node without the file, or with another one, takes no cut after the recovery', async (t) => {
  const [fixture, text] = await recoveredFixture(5);
  const other = await ChainFixture.create({ validators: 4 });
  await other.runTo(5);
  const altered = other.recover([1, 2]);
  assert.equal(other.head.cutId, parseRecovery(text).cutId);
  for (const parameters of [PARAMETERS, following(altered)]) {
    const { chain, fatal } = await open(fixture, temporaryDirectory(t), parameters);
    await installTo(fixture, chain, 5);
    const refused = await chain.install(await cutToInstall(fixture, 6));
    assert.equal(refused.type, 'refused');
    assert.match('reason' in refused ? refused.reason : '', /validator_set/);
    assert.deepEqual([chain.head.height, fatal], [5, []]);
    await chain.close();
  }
});

test('a recovery of another cut stops a node where it reaches its height, and at every start after', async (t) => {
  const [fixture] = await recoveredFixture(5);
  const other = await ChainFixture.create({ validators: 4 });
  await other.cut([other.mine([await other.pay(1, other.address(7), 5_000n)])]);
  await other.runTo(5);
  const parameters = following(other.recover([0, 2]));
  const directory = temporaryDirectory(t);
  const { chain, fatal } = await open(fixture, directory, parameters);
  await installTo(fixture, chain, 4);
  await assert.rejects(chain.install(await cutToInstall(fixture, 5)), RecoveryRefusedError);
  assert.match(String(fatal[0]), /the chain here has cut/);
  await chain.close();
  await assert.rejects(open(fixture, directory, parameters), RecoveryRefusedError);
});

test('a chain with cuts after a recovery is not opened with another recovery, nor without its own', async (t) => {
  const [fixture] = await recoveredFixture(5);
  const other = await ChainFixture.create({ validators: 4 });
  await other.runTo(5);
  const directory = temporaryDirectory(t);
  const { chain } = await open(fixture, directory);
  await installTo(fixture, chain, 7);
  await chain.close();
  const altered = following(other.recover([1, 2]));
  await assert.rejects(open(fixture, directory, altered), /does not fit: the chain here continued/);
  await assert.rejects(open(fixture, directory, PARAMETERS), /continued with a recovery, and the/);
  await fixture.runTo(INTERVAL + 3);
  const again = await open(fixture, directory);
  await installTo(fixture, again.chain, INTERVAL + 3);
  await again.chain.close();
  await assert.rejects(open(fixture, directory, PARAMETERS), /continued with a recovery, and the/);
});

test('a recovery names members of the committee alone, by their consent and with fresh keys', async (t) => {
  const fixture = await ChainFixture.create({ validators: 4 });
  await fixture.runTo(5);
  const stranger = await ChainFixture.create({ validators: 5 });
  await stranger.runTo(5);
  const foreign = parseRecovery(stranger.recover([0]));
  const good = parseRecovery(fixture.recover([0, 2]));
  const [member] = good.members;
  const [one] = foreign.members;
  assert.ok(member !== undefined && one !== undefined);
  const directory = temporaryDirectory(t);
  const { chain } = await open(fixture, directory, PARAMETERS);
  await installTo(fixture, chain, 5);
  await chain.close();
  const spent = fixture.keys.consensus[1]?.publicKey as Uint8Array;
  for (const [changed, reason] of [
    [{ ...member, stake: member.stake + 1n }, /its stake is/],
    [{ ...member, consent: one.consent }, /the key did not sign/],
    [{ ...member, publicKey: spent }, /the key had a seat before/],
  ] as const) {
    const parameters = { ...PARAMETERS, recoveries: [{ ...good, members: [changed] }] };
    await assert.rejects(open(fixture, directory, parameters), reason);
  }
});

test('evidence about a height before the recovery is judged with the set of that height', async (t) => {
  const [fixture] = await recoveredFixture(5);
  await fixture.cut([], [fixture.contradiction(4, 1)]);
  await fixture.cut([], [fixture.contradiction(7, 1)]);
  const { chain } = await open(fixture, temporaryDirectory(t));
  t.after(() => chain.close());
  await installTo(fixture, chain, fixture.head.height);
  assert.deepEqual(chain.head, fixture.head);
});
