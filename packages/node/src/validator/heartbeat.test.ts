import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { type HeartbeatOptions, HeartbeatSender, ValidatorKey } from 'svc-consensus/shell';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { WalletRoot } from 'svc-wasm';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { RecordedLog } from '../testing/cluster-log.ts';
import { TrustingMempool } from '../testing/cluster-mempool.ts';
import { HeartbeatChainPort } from './heartbeat-chain.ts';
import { HeartbeatFile } from './validator-disk.ts';

interface Ending {
  after(end: () => void | Promise<void>): void;
}

function accountKey(account: number): ValidatorKey {
  using root = WalletRoot.fromMnemonic(DEVELOPMENT_MNEMONIC, '', 'development');
  return ValidatorKey.fromSeed(root.exportSeed(0, 0, account));
}

const POOR = new Uint8Array(32).fill(7);

interface Scene {
  readonly chain: ChainFixture;
  readonly mempool: TrustingMempool;
  readonly log: RecordedLog;
  readonly options: HeartbeatOptions;
}

async function sceneFor(t: Ending): Promise<Scene> {
  const chain = await ChainFixture.create({ validators: 1 });
  const directory = temporaryDirectory();
  t.after(async () => {
    await chain.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const mempool = new TrustingMempool(chain);
  const log = new RecordedLog();
  const [consensus] = chain.keys.consensus;
  const key = ValidatorKey.fromSeed(consensus?.seed as Uint8Array);
  const options: HeartbeatOptions = {
    chain: new HeartbeatChainPort(chain),
    mempool,
    validatorId: chain.view.validatorIds()[0] as string,
    keys: () => [key],
    feeKey: accountKey(3),
    maxFeeAtoms: 1_000_000n,
    feeRatePerMass: null,
    store: new HeartbeatFile(directory),
    log,
    onFatal: (error) => assert.fail(String(error)),
  };
  return { chain, mempool, log, options };
}

async function soon(holds: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  while (!holds() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.ok(holds());
}

/** Cuts with whatever waits, until something holds. */
async function cutUntil({ chain, mempool }: Scene, holds: () => boolean): Promise<void> {
  for (let count = 0; count < 300 && !holds(); count++) {
    const wires = mempool.wires();
    await chain.cut(wires.length === 0 ? [] : [chain.mine(wires)]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(holds());
}

/** What executed transactions paid, and what they weigh; the same one may be carried twice. */
function finalizedFees({ cuts }: ChainFixture): { fee: bigint; mass: bigint }[] {
  return cuts.flatMap(({ input, result }) => {
    const executed = input.executed.flatMap(({ transactions }) => transactions);
    return result.events.outcomes
      .filter(({ kind }) => kind === 'finalized')
      .map(({ fee, transactionId }) => {
        const mass = executed.find(({ id }) => id === transactionId)?.mass ?? 0n;
        return { fee, mass };
      });
  });
}

test('[LIVE-03][VALCONF-05] one heartbeat in each epoch, at the least fee, again after a restart and no second one', async (t) => {
  const scene = await sceneFor(t);
  const { chain, mempool, options } = scene;
  const heartbeatEpoch = () =>
    chain.view.get('validators', options.validatorId ?? '')?.heartbeatEpoch ?? null;
  let sender = new HeartbeatSender(options);
  await soon(() => mempool.submitted === 1);
  await sender.close();
  sender = new HeartbeatSender({ ...options, validatorId: null });
  await cutUntil(scene, () => heartbeatEpoch() === 0);
  assert.equal(sender.state, 'ok');
  const [outcome] = chain.cuts.flatMap(({ result }) => result.events.outcomes);
  assert.equal(outcome?.kind, 'finalized');
  await cutUntil(scene, () => heartbeatEpoch() === 1);
  assert.equal(mempool.submitted, 2);
  assert.ok(chain.head.height > 120 && chain.head.height < 130);
  const [first, second] = finalizedFees(chain);
  const rate = chain.manifest.rules.min_fee_per_mass;
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([first.fee, second.fee], [first.mass * rate, second.mass * rate]);
  assert.ok(second.fee < first.fee, 'the fee key is not shown a second time');
  await sender.close();
});

test('[HTTPERR-07] an empty fee address: cannot fund validator heartbeat', async (t) => {
  const scene = await sceneFor(t);
  const feeKey = ValidatorKey.fromSeed(POOR);
  const sender = new HeartbeatSender({ ...scene.options, feeKey });
  await soon(() => scene.log.entries.length > 0);
  const [entry] = scene.log.entries;
  assert.equal(entry?.message, 'cannot fund validator heartbeat');
  assert.match(String(entry?.fields['fee_address']), /^dsvc1/);
  assert.deepEqual(
    [sender.state, sender.heartbeatsLeft, scene.mempool.submitted],
    ['failed', 0, 0],
  );
  await sender.close();
});

test('[HTTPERR-07][VALCONF-04] a fee above the cap: validator heartbeat exceeds configured fee cap', async (t) => {
  const scene = await sceneFor(t);
  const sender = new HeartbeatSender({ ...scene.options, maxFeeAtoms: 1_000n });
  await soon(() => scene.log.entries.length > 0);
  const [entry] = scene.log.entries;
  assert.equal(entry?.message, 'validator heartbeat exceeds configured fee cap');
  assert.equal(entry?.fields['max_fee_atoms'], 1_000n);
  assert.equal(scene.mempool.submitted, 0);
  await sender.close();
});

test('[LIVE-03][VALCONF-04] a heartbeat that costs as much as the cap is sent, one that costs an atom more is not', async (t) => {
  const scene = await sceneFor(t);
  const { log, mempool, options } = scene;
  const limitedTo = (maxFeeAtoms: bigint) => new HeartbeatSender({ ...options, maxFeeAtoms });
  const first = limitedTo(1n);
  await soon(() => log.entries.length === 1);
  await first.close();
  const fee = log.entries[0]?.fields['fee'];
  assert.ok(typeof fee === 'bigint');
  const tooLow = limitedTo(fee - 1n);
  await soon(() => log.entries.length === 2);
  await tooLow.close();
  assert.equal(mempool.submitted, 0);
  const enough = limitedTo(fee);
  await soon(() => mempool.submitted === 1);
  await cutUntil(scene, () => finalizedFees(scene.chain).length > 0);
  assert.equal(finalizedFees(scene.chain)[0]?.fee, fee);
  await enough.close();
});

test('[VALCONF-05] a configured rate is paid instead of the least', async (t) => {
  const scene = await sceneFor(t);
  const { chain, options } = scene;
  const sender = new HeartbeatSender({ ...options, feeRatePerMass: 25n });
  await cutUntil(scene, () => finalizedFees(chain).length > 0);
  const [paid] = finalizedFees(chain);
  assert.equal(paid?.fee, (paid?.mass ?? 0n) * 25n);
  await sender.close();
});

test('a heartbeat that got lost is sent again, the same one', async (t) => {
  const scene = await sceneFor(t);
  const { chain, options } = scene;
  const sender = new HeartbeatSender(options);
  await soon(() => scene.mempool.submitted === 1);
  const forgetful = new TrustingMempool(chain);
  const [lost] = scene.mempool.wires();
  await sender.close();
  const again = new HeartbeatSender({ ...options, mempool: forgetful });
  await soon(() => forgetful.submitted === 1);
  assert.deepEqual(forgetful.wires(), [lost]);
  await again.close();
});

test('a key that is not the active one sends nothing and says so, once in an epoch', async (t) => {
  const scene = await sceneFor(t);
  const sender = new HeartbeatSender({ ...scene.options, keys: () => [accountKey(1)] });
  assert.equal(sender.state, 'failed');
  assert.match(String(scene.log.entries[0]?.fields['reason']), /not the active key/);
  for (let cuts = 0; cuts < 8; cuts++) await scene.chain.cut();
  assert.equal(scene.log.entries.length, 1);
  await sender.close();
});
