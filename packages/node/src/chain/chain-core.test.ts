import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { decodeCut, type EncodedCut } from 'svc-consensus/machine';
import { isRegistrable, outpointKey, REGISTRATION_WINDOW_CUTS } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import {
  type CutHeader,
  cutId,
  encodeCutBody,
  encodeCutHeader,
  evidenceRoot,
} from 'svc-wasm/protocol';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { MemoryBlocks } from '../testing/cluster-blocks.ts';
import { cutToInstall } from '../testing/cut-to-install.ts';
import { certify } from '../testing/fixture-cut.ts';
import { ChainCore, type ChainOptions, type CutToInstall } from './chain-core.ts';
import type { Execution } from './executions.ts';
import { readWorkBlock } from './work-blocks.ts';

const CLOCK = { ...SYSTEM_CLOCK, after: () => () => {} };

function optionsFor(fixture: ChainFixture, directory: string): ChainOptions {
  return {
    directory,
    genesis: fixture.genesis,
    mode: 'archive',
    clock: CLOCK,
    log: SILENT_LOG,
    onFatal: () => {},
    cacheBytes: 1 << 20,
  };
}

async function paidFixture(height: number): Promise<ChainFixture> {
  const fixture = await ChainFixture.create({ validators: 4 });
  for (let account = 0; fixture.head.height < height; account = (account + 1) % 5) {
    const wire = await fixture.pay(account, fixture.address(7), 5_000n);
    await fixture.cut([fixture.mine([wire])]);
  }
  return fixture;
}

async function executionOf(chain: ChainCore, cut: EncodedCut): Promise<Execution> {
  const evaluation = await chain.evaluate(cut);
  assert.ok(evaluation.type === 'execution');
  return evaluation.execution;
}

test('a node that only installs computes the same roots, over restarts', async (t) => {
  const fixture = await paidFixture(6);
  const directory = temporaryDirectory(t);
  const options = optionsFor(fixture, directory);
  let chain = await ChainCore.open(options);
  const seen: number[] = [];
  for (let height = 1; height <= 6; height++) {
    if (height % 2 === 0) {
      await chain.close();
      chain = await ChainCore.open(options);
    }
    chain.finalized.on((cut) => seen.push(cut.height));
    const { type } = await chain.install(await cutToInstall(fixture, height));
    assert.equal(type, 'installed');
    assert.equal(chain.head.stateRoot, fixture.cuts[height - 1]?.result.stateRoot);
  }
  assert.deepEqual([...new Set(seen)], [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(chain.head, fixture.head);
  assert.equal(chain.recentCutId(0), fixture.chainId);
  assert.equal(chain.recentCutId(4), fixture.cuts[3]?.cutId);
  assert.deepEqual(await chain.install(await cutToInstall(fixture, 3)), { type: 'known' });
  await chain.close();
});

test('cuts without certificates are installed once a certified header leads back to them', async (t) => {
  const fixture = await paidFixture(5);
  const chain = await ChainCore.open(optionsFor(fixture, temporaryDirectory(t)));
  const cuts = await Promise.all([1, 2, 3, 4, 5].map((height) => cutToInstall(fixture, height)));
  const bare = cuts.map((cut) => ({ ...cut, certificate: null }));
  const [first, second] = bare as [CutToInstall, CutToInstall];
  assert.equal((await chain.install(first)).type, 'refused');
  const headers = cuts.map(({ header }) => header);
  const certificate = cuts[4]?.certificate as Uint8Array;
  assert.equal((await chain.vouch(headers.slice(1), certificate)).type, 'refused');
  assert.equal((await chain.vouch(headers.slice(0, 4), certificate)).type, 'refused');
  assert.deepEqual(await chain.vouch(headers, certificate), { type: 'vouched', height: 5 });
  assert.deepEqual(await chain.install(second), { type: 'ahead' });
  const { fields } = decodeCut(first.header, first.body);
  const header = encodeCutHeader({ ...fields, time: fields.time + 1n });
  const other = await chain.install({ ...first, header });
  assert.equal(other.type, 'refused', 'no header leads back to this one');
  const installed = await Promise.all(bare.map((cut) => chain.install(cut)));
  assert.ok(installed.every(({ type }) => type === 'installed'));
  assert.deepEqual(chain.head, fixture.head);
  await chain.close();
});

test('one certificate leads into the next epoch where the set goes on unchanged', async (t) => {
  const fixture = await ChainFixture.create();
  const { interval } = fixture.parameters;
  await fixture.runTo(interval + 2);
  const options = optionsFor(fixture, temporaryDirectory(t));
  const chain = await ChainCore.open(options);
  const heights = Array.from({ length: interval + 2 }, (_, index) => index + 1);
  const cuts = await Promise.all(heights.map((height) => cutToInstall(fixture, height)));
  const headers = cuts.map(({ header }) => header);
  const certificate = cuts.at(-1)?.certificate as Uint8Array;
  const vouching = await chain.vouch(headers, certificate);
  assert.deepEqual(vouching, { type: 'vouched', height: interval + 2 });
  for (const cut of cuts)
    assert.equal((await chain.install({ ...cut, certificate: null })).type, 'installed');
  assert.deepEqual(chain.head, fixture.head);
  await chain.close();
  await expectAnchors(await ChainCore.open(options), fixture);
});

/** After a start the chain knows every cut by which a block of the next one may be anchored. */
async function expectAnchors(chain: ChainCore, fixture: ChainFixture): Promise<void> {
  const { height } = fixture.head;
  const first = height + 2 - REGISTRATION_WINDOW_CUTS;
  for (let anchor = first; anchor <= height; anchor++) {
    assert.ok(isRegistrable(anchor, height + 1));
    assert.equal(chain.recentCutId(anchor), fixture.cuts[anchor - 1]?.cutId);
  }
  assert.equal(isRegistrable(first - 1, height + 1), false);
  await chain.close();
}

test('what a peer sends wrong is refused and leaves the chain as it was', async (t) => {
  const fixture = await paidFixture(2);
  const chain = await ChainCore.open(optionsFor(fixture, temporaryDirectory(t)));
  const [one, two] = [await cutToInstall(fixture, 1), await cutToInstall(fixture, 2)];
  const certificate = (one.certificate as Uint8Array).slice();
  certificate.set([(certificate.at(-1) ?? 0) ^ 1], certificate.length - 1);
  const changed = one.blocks.map((block) => ({ ...block, body: block.body.slice(0, -1) }));
  const wrong: readonly CutToInstall[] = [
    { ...one, certificate },
    { ...one, certificate: two.certificate },
    { ...one, body: two.body },
    { ...one, blocks: [] },
    { ...one, blocks: two.blocks },
    { ...one, blocks: changed },
    { ...one, header: one.header.slice(1) },
  ];
  for (const cut of wrong) assert.equal((await chain.install(cut)).type, 'refused');
  assert.equal(chain.head.height, 0);
  assert.equal((await chain.install(one)).type, 'installed');
  await chain.close();
});

test('a cut is missing a block, is at fault when its header lies, and is executed once', async (t) => {
  const fixture = await paidFixture(2);
  const chain = await ChainCore.open(optionsFor(fixture, temporaryDirectory(t)));
  const blocks = new MemoryBlocks(chain, CLOCK);
  chain.useBlocks(blocks);
  await chain.install(await cutToInstall(fixture, 1));
  const given = await cutToInstall(fixture, 2);
  const cut = decodeCut(given.header, given.body);
  const ids = given.blocks.map(({ id }) => id);
  assert.deepEqual(await chain.evaluate(cut), { type: 'missing', blocks: ids, what: '1 block' });
  for (const { header, body } of given.blocks)
    assert.equal((await blocks.submit(header, body)).type, 'accepted');
  const lying = given.header.slice();
  lying.set(new Uint8Array(48).fill(9), lying.length - 80);
  assert.deepEqual(await chain.evaluate(decodeCut(lying, given.body)), {
    type: 'fault',
    reason: 'another stateRoot',
  });
  const execution = await executionOf(chain, cut);
  const again = decodeCut(given.header, given.body);
  assert.equal(await executionOf(chain, again), execution, 'the same bytes, the same execution');
  const certificate = given.certificate as Uint8Array;
  const finalized = await chain.commit(execution, certificate);
  assert.equal(finalized?.cutId, fixture.head.cutId);
  assert.equal(finalized?.result, execution.result);
  assert.equal(await chain.commit(execution, certificate), undefined);
  assert.deepEqual(await chain.evaluate(cut), {
    type: 'missing',
    blocks: [],
    what: 'its turn, and the chain had already passed this height',
  });
  await chain.close();
});

test('what is wrong with a cut without executing it is a fault with its reason', async (t) => {
  const fixture = await paidFixture(1);
  const chain = await ChainCore.open(optionsFor(fixture, temporaryDirectory(t)));
  chain.useBlocks(new MemoryBlocks(chain, CLOCK));
  const { header, body } = await cutToInstall(fixture, 1);
  const { fields, content } = decodeCut(header, body);
  const other = new Uint8Array(48).fill(9);
  const wrong: readonly [Partial<CutHeader>, string][] = [
    [{ protocolVersion: 2 }, 'protocol version 2'],
    [{ chainId: other }, 'another chain'],
    [{ parentCutId: other }, 'another parent'],
    [{ validatorSetId: other }, 'another validator set'],
    [{ proposer: 4 }, 'a proposer outside the set'],
    [{ time: 2n ** 53n }, 'a time beyond all years'],
  ];
  for (const [change, reason] of wrong) {
    const cut = decodeCut(encodeCutHeader({ ...fields, ...change }), body);
    assert.deepEqual(await chain.evaluate(cut), { type: 'fault', reason });
  }
  const evidence = [fixture.contradiction(2, 0)];
  const charged = { ...fields, evidenceRoot: evidenceRoot(evidence) };
  const early = decodeCut(encodeCutHeader(charged), encodeCutBody({ ...content, evidence }));
  const reason = 'evidence of a later height';
  assert.deepEqual(await chain.evaluate(early), { type: 'fault', reason });
  await chain.close();
});

test('a cut that was built is committed as it was built; a second one at its height stops the node', async (t) => {
  const fixture = await paidFixture(1);
  const fatal: unknown[] = [];
  const chain = await ChainCore.open({
    ...optionsFor(fixture, temporaryDirectory(t)),
    onFatal: (error) => fatal.push(error),
  });
  const request = {
    height: 1,
    proposer: 0,
    previousRound: 0,
    previousSigners: 0n,
    evidence: [],
  };
  assert.equal(await chain.build(request, () => false), undefined, 'its round is over');
  const cut = await chain.build(request, () => true);
  assert.ok(cut !== undefined);
  const other = await chain.build({ ...request, proposer: 1 });
  assert.ok(other !== undefined && other.value !== cut.value);
  const [execution, second] = [await executionOf(chain, cut), await executionOf(chain, other)];
  assert.equal(execution.cut, cut, 'what was built is not executed again');
  const certificate = (await cutToInstall(fixture, 1)).certificate as Uint8Array;
  await chain.commit(execution, certificate);
  assert.equal(chain.head.cutId, cut.value);
  assert.equal(await chain.build(request), undefined);
  await assert.rejects(chain.commit(second, certificate), { name: 'ChainDivergedError' });
  assert.equal(fatal.length, 1);
  await assert.rejects(chain.build({ ...request, height: 2 }), { name: 'ChainDivergedError' });
  await chain.close();
});

test('a certified cut with another state root than the one computed here stops the node', async (t) => {
  const fixture = await ChainFixture.create();
  const { epoch, chainId } = fixture;
  await fixture.cut();
  const given = await cutToInstall(fixture, 1);
  const header = given.header.slice();
  header.set(new Uint8Array(48).fill(9), header.length - 80);
  const cut = { header, body: given.body, cutId: toHex(cutId(header)) };
  const certificate = certify({ chainId, height: 1, cut, epoch }, fixture.keys.consensus);
  const fatal: unknown[] = [];
  const options = optionsFor(fixture, temporaryDirectory(t));
  const chain = await ChainCore.open({ ...options, onFatal: (error) => fatal.push(error) });
  await assert.rejects(chain.install({ ...given, header, certificate }), {
    name: 'ChainDivergedError',
    message: `cut 1, ${cut.cutId}, cannot be made final: another stateRoot`,
  });
  assert.equal(fatal.length, 1);
  assert.equal(chain.head.height, 0);
  await chain.close();
});

test('sets of earlier epochs are kept beside the store, and a changed one is refused', async (t) => {
  const fixture = await ChainFixture.create({ validators: 1 });
  await fixture.runTo(121);
  const directory = temporaryDirectory(t);
  const options = optionsFor(fixture, directory);
  const chain = await ChainCore.open(options);
  for (let height = 1; height <= 121; height++)
    await chain.install(await cutToInstall(fixture, height));
  assert.deepEqual(readdirSync(join(directory, 'sets')).sort(), ['0.set', '1.set']);
  assert.deepEqual(chain.setAt(121)?.id, fixture.cuts[120]?.header.validatorSetId);
  assert.equal(chain.setAt(241), undefined);
  await chain.close();
  const again = await ChainCore.open(options);
  assert.deepEqual(again.setAt(5)?.id, fixture.cuts[4]?.header.validatorSetId);
  await again.close();
  writeFileSync(join(directory, 'sets', '0.set'), new Uint8Array(40));
  await assert.rejects(ChainCore.open(options), { name: 'StoreDamagedError' });
});

test('payments are given to the check ahead when they come, and again with the state they are executed on', async (t) => {
  const fixture = await paidFixture(2);
  const checked: string[] = [];
  const options = optionsFor(fixture, temporaryDirectory(t));
  const chain = await ChainCore.open({
    ...options,
    checkAhead: {
      async checkAhead(transactions, view) {
        for (const transaction of transactions) {
          checked.push(`${transaction.id} at ${chain.head.height}`);
          const spent = transaction.inputs.map((input) => {
            const output = view.get('outputs', outpointKey(input));
            assert.ok(output !== undefined);
            return output;
          });
          chain.transactions.accept(transaction, spent, null);
        }
      },
    },
  });
  const cuts = [await cutToInstall(fixture, 1), await cutToInstall(fixture, 2)];
  const [one, two] = cuts.map((cut) => paymentOf(fixture, cut));
  await Promise.all(cuts.map((cut) => chain.install(cut)));
  assert.deepEqual(checked.slice(0, 3), [`${one} at 0`, `${two} at 0`, `${one} at 1`]);
  assert.deepEqual(chain.head, fixture.head);
  await chain.close();
});

/** The only payment of the only block of a cut. */
function paymentOf(fixture: ChainFixture, { blocks: [block] }: CutToInstall): string | undefined {
  if (block === undefined) return undefined;
  const { transactions } = readWorkBlock(block, fixture.manifest, fixture.transactions);
  return transactions[0]?.id;
}
