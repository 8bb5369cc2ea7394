/**
 * A reader who comes back after 2,000 epochs with a pin from then. No head is believed because the pinned cut is in its history;
 * a new pin is, and a path shows whether the old one is part of its chain.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { CONTEXTS, contextBytes, fromHex, NETWORKS, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  type CutHeader,
  cutId,
  decodeValidatorSet,
  encodeCertificate,
  encodeCutHeader,
  encodeListProof,
  encodeValidatorSet,
  listLevels,
  listNode,
  listRoot,
  NO_ROUND,
  proveLeaves,
  voteSignBytes,
} from 'svc-wasm/protocol';
import { renewTrust, type TrustDocument, trustNamedCut } from '../src/evidence.ts';
import { LightClient } from '../src/light-client.ts';
import type { AnswerOf, RouteCalls } from '../src/routes/route-types.ts';

await init();

const NETWORK = 'mainnet';
const EPOCHS = 2_000;
const INTERVAL = Number(NETWORKS[NETWORK].intervalCuts);
const ID_BYTES = 48;
const CHAIN_ID = new Uint8Array(ID_BYTES).fill(7);
const START = 1_800_000_000_000;
const PACE_MILLIS = 2_500;
const OLD = 241;
const HEAD = EPOCHS * INTERVAL + 10;
const timeOf = (height: number): number => START + height * PACE_MILLIS;

interface Signer {
  readonly secretKey: Uint8Array;
  readonly encoded: Uint8Array;
  readonly id: Uint8Array;
}

function signer(name: number): Signer {
  const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32).fill(name));
  const encoded = encodeValidatorSet([{ id: new Uint8Array(48).fill(name), publicKey, stake: 1n }]);
  return { secretKey, encoded, id: decodeValidatorSet(encoded).id };
}

/** The signers at the old pin and at the head, and a forger. */
const [FIRST, LAST, FORGER] = [signer(1), signer(2), signer(3)];

function headerOf(height: number, by: Signer, historyRoot: Uint8Array): Uint8Array {
  const zeros = new Uint8Array(ID_BYTES);
  const fields: CutHeader = {
    protocolVersion: 1,
    chainId: CHAIN_ID,
    height: BigInt(height),
    parentCutId: zeros,
    historyRoot,
    proposer: 0,
    time: BigInt(timeOf(height)),
    validatorSetId: by.id,
    nextValidatorSetId: by.id,
    previousRound: 0,
    previousSigners: 1n,
    registeredRoot: zeros,
    registeredCount: 0,
    registeredBytes: 0,
    evidenceRoot: zeros,
    outcomeRoot: zeros,
    changesRoot: zeros,
    stateRoot: zeros,
    workTarget: new Uint8Array(32),
  };
  return encodeCutHeader(fields);
}

/**
 * The list of all cut ids below a height. All ids but those of known cuts are alike, so the roots of ranges without a known cut are
 * computed once for each power of two: a list of 69 million entries takes a few thousand hashes.
 */
class SparseHistory {
  readonly #known: ReadonlyMap<number, Uint8Array>;
  readonly #alike = listLevelsOf(new Uint8Array(ID_BYTES).fill(9));
  readonly #count: number;

  constructor(count: number, known: ReadonlyMap<number, Uint8Array>) {
    this.#count = count;
    this.#known = known;
  }

  get root(): Uint8Array {
    return listRoot(this.#count, this.#nodeOver(0, this.#count));
  }

  pathTo(heights: readonly number[]): Uint8Array {
    return encodeListProof(proveLeaves(this.#count, heights, (a, b) => this.#nodeOver(a, b)));
  }

  #nodeOver(first: number, end: number): Uint8Array {
    const found = this.#known.get(first);
    if (end - first === 1) return found ?? (this.#alike[0] as Uint8Array);
    const level = Math.log2(end - first);
    const isAlike = ![...this.#known.keys()].some((height) => height >= first && height < end);
    if (isAlike && Number.isInteger(level)) return this.#alike[level] as Uint8Array;
    const middle = first + 2 ** (Math.ceil(level) - 1);
    return listNode(this.#nodeOver(first, middle), this.#nodeOver(middle, end));
  }
}

/** The roots over 1, 2, 4, … leaves that are all the same. */
function listLevelsOf(leaf: Uint8Array): Uint8Array[] {
  const levels = [leaf];
  for (let below = leaf; levels.length < 32; levels.push(below)) below = listNode(below, below);
  assert.deepEqual(levels[1], listLevels(Buffer.concat([leaf, leaf]))[1]);
  return levels;
}

const OLD_HEADER = headerOf(OLD, FIRST, new Uint8Array(ID_BYTES));

/** A node at the head, whose last epoch one signer signs and whose history contains these cuts. */
function nodeOf(
  by: Signer,
  known: ReadonlyMap<number, Uint8Array>,
  oldHeader = OLD_HEADER,
): RouteCalls {
  const history = (height: number) =>
    new SparseHistory(height, new Map([...known].filter(([each]) => each < height)));
  const headerAt = (height: number) =>
    height === OLD ? oldHeader : headerOf(height, by, history(height).root);
  const signerAt = (height: number) => (height === OLD ? FIRST : by);
  const calls: Partial<Record<keyof RouteCalls, unknown>> = {
    chainHead: async () => ({
      network: NETWORK,
      chain_id: toHex(CHAIN_ID),
      cut: { height: HEAD },
      time_millis: timeOf(HEAD),
    }),
    cutCertificate: async ({ height }: { height: number }) => {
      const header = headerAt(height);
      return {
        header_hex: toHex(header),
        certificate_hex: toHex(certificateOf(header, height, signerAt(height))),
      } as AnswerOf<'cutCertificate'>;
    },
    cutValidators: async ({ height }: { height: number }) => ({
      validator_set_hex: toHex(signerAt(height).encoded),
    }),
    proofsCuts: async ({ height, heights }: { height: number; heights: number[] }) => ({
      cuts: heights.map((each) => ({ header_hex: toHex(headerAt(each)) })),
      proof_hex: toHex(history(height).pathTo(heights)),
    }),
  };
  return calls as RouteCalls;
}

function certificateOf(header: Uint8Array, height: number, by: Signer): Uint8Array {
  const content = {
    kind: 'precommit',
    height: BigInt(height),
    round: 0,
    validRound: NO_ROUND,
    cutId: cutId(header),
    validatorSetId: by.id,
  } as const;
  const signature = mlDsa65.sign(by.secretKey, voteSignBytes(content, CHAIN_ID), {
    context: contextBytes(CONTEXTS.vote),
  });
  return encodeCertificate({ ...content, signers: 1n, signatures: [signature] });
}

const WITH_OLD = new Map([[OLD, cutId(OLD_HEADER)]]);
const HONEST = nodeOf(LAST, WITH_OLD);
/** The forger's own head, whose history truly contains the old pin. */
const FORGED = nodeOf(FORGER, WITH_OLD);

/** What the reader pinned and kept 2,000 epochs ago. */
async function oldTrust(): Promise<TrustDocument> {
  const name = `${OLD}:${toHex(cutId(OLD_HEADER))}`;
  return trustNamedCut(HONEST, name, undefined, () => timeOf(OLD));
}

async function nameOf(node: RouteCalls, height: number): Promise<string> {
  const { header_hex } = await node.cutCertificate({ height });
  return `${height}:${toHex(cutId(fromHex(header_hex)))}`;
}

test('after 2,000 epochs a forged head that contains the old pin is refused, whatever the clock says', async () => {
  const { trusted } = await oldTrust();
  for (const now of [timeOf(HEAD), timeOf(OLD + 1)]) {
    const light = new LightClient({ client: FORGED, trusted, now: () => now });
    await assert.rejects(light.certify(HEAD), { code: /trust_expired|not_trusted/ });
    assert.equal(light.trustedHeight, OLD);
    await assert.rejects(light.certifyEarlier([OLD]), { code: 'not_trusted' });
  }
  const light = new LightClient({ client: HONEST, trusted, now: () => timeOf(HEAD) });
  await assert.rejects(light.certify(HEAD), { code: 'trust_expired' });
});

test('a reader that returns with a new pin keeps its proven history', async () => {
  const known = await oldTrust();
  const now = () => timeOf(HEAD);
  const pin = HEAD - 3;
  const renewed = await trustNamedCut(HONEST, await nameOf(HONEST, pin), known, now);
  assert.equal(renewed.height, pin);
  assert.deepEqual(renewed.earliest, { height: OLD, cutId: known.cutId });
  const light = new LightClient({ client: HONEST, trusted: renewed.trusted, now });
  assert.equal((await light.certify(HEAD)).height, BigInt(HEAD));
  assert.equal((await light.certify(OLD)).cutId, known.cutId);
  const again = await renewTrust(
    HONEST,
    renewed,
    await trustNamedCut(HONEST, await nameOf(HONEST, HEAD), undefined, now),
    now,
  );
  assert.deepEqual(again.earliest, renewed.earliest, 'the first pin stays the earliest');
});

test('a pin that another node names, another chain and a history without the old pin are refused', async () => {
  const known = await oldTrust();
  const now = () => timeOf(HEAD);
  const pin = await nameOf(HONEST, HEAD - 3);
  await assert.rejects(trustNamedCut(FORGED, pin, known, now), /not the one of the pin/);
  const other = headerOf(OLD, FIRST, new Uint8Array(ID_BYTES).fill(1));
  const history = new Map([[OLD, cutId(other)]]);
  const elsewhere = nodeOf(LAST, history, other);
  const foreign = await nameOf(elsewhere, HEAD - 3);
  await assert.rejects(trustNamedCut(elsewhere, foreign, known, now), /is not part of the chain/);
  const torn = nodeOf(LAST, history);
  await assert.rejects(trustNamedCut(torn, foreign, known, now), { code: 'wrong_list_root' });
  const fresh = await trustNamedCut(HONEST, pin, undefined, now);
  const moved = { ...fresh, chainId: '08'.repeat(ID_BYTES) };
  await assert.rejects(renewTrust(HONEST, known, moved, now), /another chain/);
  await assert.rejects(renewTrust(HONEST, fresh, known, now), /already/);
  for (const name of ['', '241', `x:${'0'.repeat(96)}`, `241:${'0'.repeat(95)}`])
    await assert.rejects(trustNamedCut(HONEST, name, undefined, now), /a pin is a height/);
});
