/** What trust in validators begins with: a cut that somebody named, and never the word of a node. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { type Client, ClientError } from 'svc-client';
import { NETWORK, TIME } from '../../test/testing/certified-cuts.ts';
import { HEIGHT, provingClient, STRANGER, walletOf } from '../../test/testing/proving-node.ts';
import { type Checkpoint, TrustedChain } from './trusted-chain.ts';

const LATE = TIME + 10 * 3_600_000;
const LATE_HEIGHT = 200;

/** A wallet whose node a test changes, and starts of it. */
function startsOf(t: TestContext) {
  const { state } = walletOf(t);
  const clock = new ManualClock(TIME + 1_000);
  const node = { client: provingClient({}) };
  const client = {
    cutCertificate: (input: { height: number }) => node.client.cutCertificate(input),
    cutValidators: (input: { height: number }) => node.client.cutValidators(input),
    proofsCuts: (input: { height?: number; heights: number[] }) => node.client.proofsCuts(input),
  };
  const ports = { network: NETWORK, meta: state.meta, clock, log: SILENT_LOG, client } as const;
  const start = (checkpoint?: Checkpoint) => new TrustedChain({ ...ports, checkpoint });
  return { clock, meta: state.meta, node, start };
}

async function cutOf(client: Client, height: number): Promise<Checkpoint> {
  return { height, cutId: (await client.cutCertificate({ height })).cut_id };
}

test('a wallet that trusts no cut yet begins with one that is named, and believes no node without', async (t) => {
  const { meta, node, start } = startsOf(t);
  meta.remove('trusted_validators');
  await assert.rejects(start().certify(HEIGHT), { code: 'not_trusted', message: /--trust/ });
  const other = { height: HEIGHT, cutId: 'ab'.repeat(48) };
  await assert.rejects(start(other).certify(HEIGHT), { code: 'not_trusted' });
  const named = await cutOf(node.client, HEIGHT);
  assert.equal((await start(named).certify(HEIGHT)).height, BigInt(HEIGHT));
});

test('trust that ended begins anew with a cut that is named at a start, and with nothing else', async (t) => {
  const { clock, node, start } = startsOf(t);
  const running = start();
  assert.equal((await running.certify(HEIGHT)).height, BigInt(HEIGHT));
  const honest = provingClient({ height: LATE_HEIGHT, time: LATE });
  node.client = provingClient({ signers: STRANGER, height: LATE_HEIGHT, time: LATE });
  await assert.rejects(running.certify(LATE_HEIGHT), { code: 'wrong_validator_set' });
  await assert.rejects(start().certify(LATE_HEIGHT), { code: 'wrong_validator_set' });
  clock.advance(LATE - clock.now());
  await assert.rejects(running.certify(LATE_HEIGHT), { code: 'trust_expired' });
  await assert.rejects(start().certify(LATE_HEIGHT), { code: 'trust_expired', message: /--trust/ });
  const named = await cutOf(honest, LATE_HEIGHT);
  await assert.rejects(start(named).certify(LATE_HEIGHT), { code: 'not_trusted' });
  node.client = honest;
  assert.equal((await start(named).certify(LATE_HEIGHT)).height, BigInt(LATE_HEIGHT));
});

test('a cut that was accepted in place of the own history is what trust begins with, over restarts', async (t) => {
  const { node, start } = startsOf(t);
  node.client = provingClient({ signers: STRANGER, height: LATE_HEIGHT, time: TIME + 500 });
  const wallet = start();
  await assert.rejects(wallet.certify(LATE_HEIGHT), { code: 'wrong_validator_set' });
  wallet.beginAt(await cutOf(node.client, LATE_HEIGHT));
  for (const begun of [wallet, start(), start({ height: HEIGHT, cutId: 'ab'.repeat(48) })])
    assert.equal((await begun.certify(LATE_HEIGHT)).height, BigInt(LATE_HEIGHT));
});

test('a named cut whose certificate the node has no more is refused by name', async (t) => {
  const { meta, node, start } = startsOf(t);
  meta.remove('trusted_validators');
  const named = await cutOf(node.client, HEIGHT);
  const cutCertificate = async () => {
    throw new ClientError('refused', 'not kept', { status: 404, code: 'not_kept' });
  };
  node.client = { ...node.client, cutCertificate };
  const newer = { code: 'not_trusted', message: /name a newer cut with --trust/ };
  await assert.rejects(start(named).certify(HEIGHT), newer);
});
