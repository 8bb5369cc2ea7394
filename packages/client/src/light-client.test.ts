/** A light client against nodes that lie: about validators, certificates, heights and time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { CONTEXTS, contextBytes, fromHex, toHex, trustingPeriodMillis } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  appendHistory,
  type CutHeader,
  cutId,
  decodeValidatorSet,
  encodeCertificate,
  encodeCutHeader,
  encodeListProof,
  encodeValidatorSet,
  formatRecovery,
  type HistoryPeaks,
  hashLabel,
  historyRoot,
  listNode,
  NO_ROUND,
  proveLeaves,
  type RecoveryPlace,
  signSeat,
  voteSignBytes,
} from 'svc-wasm/protocol';
import { parseCheckpoint } from './evidence/verify-evidence.ts';
import { LightClient, type LightClientRoutes, trustCut } from './light-client.ts';
import type { AnswerOf } from './routes/route-types.ts';

await init();

const NETWORK = 'testnet100';
const INTERVAL = 360;
const PACE = 2_500;
const START = 1_800_000_000_000;
const CHAIN_ID = toHex(new Uint8Array(48).fill(7));
/** The second to last cut of the epochs that have a committee. */
const HEIGHT_MAX = 4 * INTERVAL - 1;
const PERIOD = Number(trustingPeriodMillis(NETWORK));

interface Committee {
  readonly secretKey: Uint8Array;
  readonly encoded: Uint8Array;
  readonly id: Uint8Array;
}

/** A set of one validator, another one for each name. */
function committee(name: number): Committee {
  const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32).fill(name));
  const encoded = encodeValidatorSet([{ id: new Uint8Array(48).fill(name), publicKey, stake: 1n }]);
  return { secretKey, encoded, id: decodeValidatorSet(encoded).id };
}

const COMMITTEES = [1, 2, 3, 4].map(committee);
const STRANGER = committee(99);
const committeeAt = (height: number): Committee =>
  COMMITTEES[Math.floor((height - 1) / INTERVAL)] as Committee;

const timeOf = (height: number): number => START + height * PACE;

type Lie = (height: number) => { readonly signers?: Committee; readonly at?: number } | undefined;

/** A node with one validator an epoch; its lies are other signers or other cuts. */
class LyingNode implements LightClientRoutes {
  lie: Lie = () => undefined;
  asked = 0;
  /** Who signs after a height, up to the end of the epoch. */
  recovered: { readonly after: number; readonly by: Committee } | undefined;

  #committeeAt(height: number): Committee {
    const { after, by } = this.recovered ?? {};
    if (after === undefined || by === undefined || height <= after) return committeeAt(height);
    return committeeAt(height) === committeeAt(after + 1) ? by : committeeAt(height);
  }

  /** The header of a cut names the next set of the state, in which there is no recovery. */
  headerAt(height: number, own = this.#committeeAt(height)): CutHeader {
    const isLast = height === this.recovered?.after;
    return headerOf(height, own, isLast ? committeeAt(height + 1) : this.#committeeAt(height + 1));
  }

  readonly cutCertificate = async ({ height: asked }: { height: number }) => {
    this.asked++;
    const { signers, at: height = asked } = this.lie(asked) ?? {};
    const own = signers ?? this.#committeeAt(height);
    const fields =
      signers === undefined ? this.headerAt(height) : headerOf(height, signers, signers);
    const header = encodeCutHeader(fields);
    const content = {
      kind: 'precommit',
      height: BigInt(height),
      round: 0,
      validRound: NO_ROUND,
      cutId: cutId(header),
      validatorSetId: own.id,
    } as const;
    const message = voteSignBytes(content, fields.chainId);
    const signature = mlDsa65.sign(own.secretKey, message, {
      context: contextBytes(CONTEXTS.vote),
    });
    const certificate = encodeCertificate({ ...content, signers: 1n, signatures: [signature] });
    return {
      header_hex: toHex(header),
      certificate_hex: toHex(certificate),
    } as AnswerOf<'cutCertificate'>;
  };

  /** Earlier cuts with the proof that the header of a height leads to them. */
  readonly proofsCuts: LightClientRoutes['proofsCuts'] = async ({ height = 0, heights }) => {
    const ids = [fromHex(CHAIN_ID), ...HEADERS.slice(1, height).map(cutId)];
    const proof = proveLeaves(height, heights, (first, end) => treeOver(ids.slice(first, end)));
    const cuts = heights.map((each) => ({ header_hex: toHex(this.earlier(each)) }));
    return { cuts, proof_hex: toHex(encodeListProof(proof)) } as AnswerOf<'proofsCuts'>;
  };

  /** The header that is shown of an earlier height. */
  earlier = (height: number): Uint8Array => HEADERS[height] as Uint8Array;

  readonly cutValidators = async ({ height }: { height: number }) => {
    const { signers } = this.lie(height) ?? {};
    const { encoded } = signers ?? this.#committeeAt(height);
    return { validator_set_hex: toHex(encoded) } as AnswerOf<'cutValidators'>;
  };
}

function treeOver(leaves: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(48)] = leaves;
  if (leaves.length < 2) return first;
  const split = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return listNode(treeOver(leaves.slice(0, split)), treeOver(leaves.slice(split)));
}

const ROOTS: Uint8Array[] = [];
/** The headers that the validators of each height signed; there is none at height 0. */
const HEADERS: Uint8Array[] = [new Uint8Array(0)];
let peaks: HistoryPeaks = [];
for (let height = 1; height <= HEIGHT_MAX; height++) {
  const parent = height === 1 ? fromHex(CHAIN_ID) : cutId(HEADERS[height - 1] as Uint8Array);
  peaks = appendHistory(hashLabel, height - 1, peaks, parent);
  ROOTS[height] = historyRoot(hashLabel, height, peaks);
  const header = headerOf(height, committeeAt(height), committeeAt(height + 1));
  HEADERS.push(encodeCutHeader(header));
}

function headerOf(height: number, own: Committee, next: Committee): CutHeader {
  const zeros = new Uint8Array(48);
  return {
    protocolVersion: 1,
    chainId: new Uint8Array(48).fill(7),
    height: BigInt(height),
    parentCutId: zeros,
    historyRoot: ROOTS[height] ?? zeros,
    proposer: 0,
    time: BigInt(timeOf(height)),
    validatorSetId: own.id,
    nextValidatorSetId: next.id,
    previousRound: 0,
    previousSigners: 1n,
    registeredRoot: zeros,
    registeredCount: 0,
    registeredBytes: 0,
    evidenceRoot: zeros,
    outcomeRoot: zeros,
    changesRoot: zeros,
    stateRoot: new Uint8Array(48).fill(height & 0xff),
    workTarget: new Uint8Array(32),
  };
}

async function lightAt(height: number) {
  const node = new LyingNode();
  const trusted = await trustCut(node, NETWORK, CHAIN_ID, height);
  const clock = { now: timeOf(height) };
  const light = new LightClient({ client: node, trusted, now: () => clock.now });
  return { node, light, clock };
}

test('trust continues over the ends of epochs and is kept for the next start', async () => {
  const { node, light, clock } = await lightAt(10);
  clock.now = timeOf(1_000);
  const cut = await light.certify(1_000);
  assert.equal(cut.height, 1_000n);
  assert.equal(cut.stateRoot, 'e8'.repeat(48));
  assert.equal(light.trustedHeight, 1_000);
  const { trusted } = light;
  const again = new LightClient({ client: node, trusted, now: () => clock.now });
  assert.equal((await again.certify(1_000)).cutId, cut.cutId);
  assert.equal((await again.certify(1_000)).cutId, cut.cutId);
  clock.now = timeOf(1_080);
  assert.equal(
    (await again.certify(1_080)).nextValidatorSetId,
    toHex(COMMITTEES[3]?.id as Uint8Array),
  );
  assert.equal((await again.certify(1_080)).height, 1_080n);
});

test('validators that the node invents are not believed', async () => {
  const { node, light, clock } = await lightAt(10);
  clock.now = timeOf(1_000);
  node.lie = (height) => (height > 700 ? { signers: STRANGER } : undefined);
  await assert.rejects(light.certify(1_000), { code: /wrong_validator_set|not_trusted/ });
  node.lie = () => ({ signers: STRANGER });
  await assert.rejects(light.certify(20), { code: 'wrong_validator_set' });
  assert.ok(light.trustedHeight < 1_000);
  node.lie = () => undefined;
  assert.equal((await light.certify(1_000)).height, 1_000n);
});

test('another cut than the one asked for is not taken for it', async () => {
  const { node, light, clock } = await lightAt(10);
  clock.now = timeOf(50);
  node.lie = (height) => ({ at: height - 5 });
  await assert.rejects(light.certify(50), { code: 'not_trusted' });
  assert.equal(light.trustedHeight, 10);
});

test('trust ends with the trusting period of the network, and headers ahead of the clock wait', async () => {
  const { light, clock } = await lightAt(10);
  clock.now = timeOf(10) + PERIOD;
  assert.equal(light.isExpired, true);
  await assert.rejects(light.certify(20), { code: 'trust_expired' });
  clock.now = timeOf(20) - 10_001;
  await assert.rejects(light.certify(20), { code: 'not_trusted' });
  clock.now = timeOf(20) - 10_000;
  assert.equal((await light.certify(20)).height, 20n);
});

test('a chain of another id and the last cut of an epoch are no start', async () => {
  const node = new LyingNode();
  await assert.rejects(trustCut(node, NETWORK, '08'.repeat(48), 10), { code: 'wrong_chain' });
  await assert.rejects(trustCut(node, NETWORK, CHAIN_ID, INTERVAL), { code: 'not_trusted' });
});

/** A member of the set before continues with the key of another committee. */
function recoveryAt(node: LyingNode, height: number, change: Partial<RecoveryPlace> = {}): string {
  const before = committeeAt(height + 1);
  const [member] = decodeValidatorSet(before.encoded).validators;
  const [next] = decodeValidatorSet(RECOVERED.encoded).validators;
  assert.ok(member !== undefined && next !== undefined);
  const place = {
    network: NETWORK,
    chainId: CHAIN_ID,
    height,
    cutId: toHex(cutId(encodeCutHeader(node.headerAt(height)))),
    timeMillis: timeOf(height),
    ...change,
  } as const;
  const seat = { validatorId: toHex(member.id), stake: 1n, publicKey: next.publicKey };
  const keys = { next: RECOVERED.secretKey, before: before.secretKey };
  return formatRecovery(place, [signSeat(place, seat, keys)]);
}

/** A committee whose key is new and whose member is that of the epochs of these heights. */
const RECOVERED = committee(50);

function recoveredBy(height: number): Committee {
  const [member] = decodeValidatorSet(committeeAt(height + 1).encoded).validators;
  const [next] = decodeValidatorSet(RECOVERED.encoded).validators;
  assert.ok(member !== undefined && next !== undefined);
  const encoded = encodeValidatorSet([{ ...member, publicKey: next.publicKey }]);
  return { secretKey: RECOVERED.secretKey, encoded, id: decodeValidatorSet(encoded).id };
}

test('trust passes over a recovery with its file, wherever in an epoch, and is kept', async () => {
  for (const after of [10, 100, INTERVAL - 1, INTERVAL, INTERVAL + 1]) {
    const { node, clock, light: begun } = await lightAt(10);
    const trusted = begun.trusted;
    node.recovered = { after, by: recoveredBy(after) };
    const recoveries = [recoveryAt(node, after)];
    const now = () => clock.now;
    let light = new LightClient({ client: node, trusted, now, recoveries });
    for (const height of [after, after + 1, after + 5, 2 * INTERVAL + 7]) {
      clock.now = timeOf(height);
      const cut = await light.certify(height);
      assert.deepEqual(cut.cutId, toHex(cutId(encodeCutHeader(node.headerAt(height)))));
      light = new LightClient({ client: node, trusted: light.trusted, now, recoveries });
    }
    const straight = new LightClient({ client: node, trusted, now, recoveries });
    assert.equal((await straight.certify(2 * INTERVAL + 7)).height, BigInt(2 * INTERVAL + 7));
  }
});

test('without the file, or with another one, nothing after the recovery is certified', async () => {
  for (const after of [100, INTERVAL]) {
    const { node, clock, light } = await lightAt(10);
    node.recovered = { after, by: recoveredBy(after) };
    clock.now = timeOf(after + 5);
    const now = () => clock.now;
    assert.equal((await light.certify(after)).height, BigInt(after));
    await assert.rejects(light.certify(after + 5), /continued with a recovery, give its file/);
    const refused = async (text: string, reason: RegExp): Promise<void> => {
      const options = { client: node, trusted: light.trusted, now, recoveries: [text] };
      await assert.rejects(async () => new LightClient(options).certify(after + 5), reason);
    };
    const good = recoveryAt(node, after);
    await refused(recoveryAt(node, after, { cutId: 'ab'.repeat(48) }), /the recovery names cut/);
    await refused(recoveryAt(node, after, { timeMillis: 1 }), /the recovery names cut/);
    await refused(recoveryAt(node, after, { network: 'testnet' }), /the recovery names cut/);
    const later = good.replace(`"height": "${after}"`, `"height": "${after + 1}"`);
    await refused(later, /the key did not sign/);
    node.recovered = { after, by: STRANGER };
    await refused(good, /other validators signed cut|header belongs/);
  }
  const { node, light } = await lightAt(10);
  const recoveries = Array.from({ length: 9 }, () => recoveryAt(node, 20));
  const { trusted } = light;
  const client = { client: node, trusted, now: () => 0, recoveries };
  assert.throws(() => new LightClient(client), /at most 8 recoveries/);
});

test('a recovery without the consent of the validators before is refused within an epoch', async () => {
  const { node, clock, light } = await lightAt(10);
  node.recovered = { after: 100, by: recoveredBy(100) };
  clock.now = timeOf(105);
  const document = JSON.parse(recoveryAt(node, 100)) as { members: Record<string, string>[] };
  const [member] = document.members;
  assert.ok(member !== undefined);
  member['consent'] = member['possession'] as string;
  const recoveries = [JSON.stringify(document)];
  const { trusted } = light;
  const forged = new LightClient({ client: node, trusted, now: () => clock.now, recoveries });
  await assert.rejects(forged.certify(105), /members\[0\]\.consent|did not sign/);
});

test('a recovery file is a checkpoint: trust begins with its cut and its validators', async () => {
  const node = new LyingNode();
  node.recovered = { after: 100, by: recoveredBy(100) };
  const { height, cutId: id, trusted } = parseCheckpoint(recoveryAt(node, 100));
  assert.deepEqual([height, id], [100, toHex(cutId(encodeCutHeader(node.headerAt(100))))]);
  const light = new LightClient({ client: node, trusted, now: () => timeOf(105) });
  assert.equal((await light.certify(105)).height, 105n);
  await assert.rejects(light.certify(99), /validator set/);
  assert.throws(() => parseCheckpoint('{"recovery_version":"2"}'), /recovery_version/);
});

test('a reader that begins at the head proves cuts of epochs whose validators it never knew', async () => {
  const { light } = await lightAt(1_300);
  const head = await light.certify(1_300);
  for (const height of [1, 241, INTERVAL, 700]) {
    const cut = await light.certify(height);
    assert.equal(cut.cutId, toHex(cutId(HEADERS[height] as Uint8Array)));
    assert.equal(cut.height, BigInt(height));
    assert.equal(cut.signedStake, head.signedStake, 'it rests on the signatures of the head');
  }
  assert.equal(light.trustedHeight, 1_300, 'an earlier cut moves no trust');
});

test('an earlier cut that was altered, or another one in its place, is refused', async () => {
  const { light, node } = await lightAt(1_300);
  await light.certify(1_300);
  const honest = node.earlier;
  node.earlier = (height) => honest(height).with(500, 1);
  await assert.rejects(light.certify(241), { code: 'wrong_list_root' });
  node.earlier = (height) => honest(height + 1);
  await assert.rejects(light.certify(241), { code: 'bad_proof' });
  node.earlier = honest;
  assert.equal((await light.certify(241)).height, 241n);
});

test('a path from a trusted cut makes no later cut final', async () => {
  const { light, node, clock } = await lightAt(10);
  clock.now = timeOf(800);
  node.lie = () => ({ signers: STRANGER });
  await assert.rejects(light.certify(800), { code: /wrong_validator_set|not_trusted/ });
  assert.equal(light.trustedHeight, 10);
});
