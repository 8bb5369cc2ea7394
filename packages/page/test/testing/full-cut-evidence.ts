/**
 * An evidence file of a head that all 64 members of the largest committee signed, with claims about full cuts before it: what
 * is proven where a development network has four validators and a few payments.
 */
import type { Claim, ClaimProof, Evidence } from 'svc-client/evidence';
import { CONTEXTS, compareBytes, contextBytes, encodeAddress, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  type ChangeLeaf,
  type CutHeader,
  cutId,
  encodeCertificate,
  encodeChangeLeaves,
  encodeCutHeader,
  encodeLeavesProof,
  encodeListProof,
  encodeOutcomeLeaves,
  encodeValidatorSet,
  hashLabel,
  hashListLeaves,
  type ListLeaf,
  listLevels,
  listNode,
  listRoot,
  NO_ROUND,
  proveLeaves,
  trustedSetJson,
  validatorSetId,
  voteSignBytes,
} from 'svc-wasm/protocol';

const SIGNERS = 64;
const NETWORK = 'testnet';
/** Within one epoch, so that the set of the head is that of the pinned cut. */
const HEAD_HEIGHT = 100;
const START_MILLIS = 1_800_000_000_000;
const PACE_MILLIS = 2_500;
/** A full cut executes so many payments; each spends one output and makes two. */
const PAYMENTS = 4_352;
const ID_BYTES = 48;
const CHAIN_ID = new Uint8Array(ID_BYTES).fill(7);
const ZEROS = new Uint8Array(ID_BYTES);
const NOTE = '74656120666f722074776f';

/** The claim of the file: this payment of this cut. */
const PAID = 1_234;
const PAID_HEIGHT = 41;
const AMOUNT = 725_000_000n;

interface Committee {
  readonly secretKeys: readonly Uint8Array[];
  readonly encoded: Uint8Array;
}

function committeeOf(count: number): Committee {
  const members = Array.from({ length: count }, (_, place) => {
    const seed = new Uint8Array(32).fill(place + 1);
    return { id: new Uint8Array(48).fill(place + 1), stake: 1n, ...mlDsa65.keygen(seed) };
  }).sort((a, b) => compareBytes(a.id, b.id));
  return {
    secretKeys: members.map(({ secretKey }) => secretKey),
    encoded: encodeValidatorSet(members),
  };
}

function headerOf(height: number, setId: Uint8Array, roots: Partial<CutHeader> = {}): CutHeader {
  return {
    protocolVersion: 1,
    chainId: CHAIN_ID,
    height: BigInt(height),
    parentCutId: ZEROS,
    historyRoot: ZEROS,
    proposer: 0,
    time: BigInt(START_MILLIS + height * PACE_MILLIS),
    validatorSetId: setId,
    nextValidatorSetId: setId,
    previousRound: 0,
    previousSigners: (1n << BigInt(SIGNERS)) - 1n,
    registeredRoot: ZEROS,
    registeredCount: 0,
    registeredBytes: 0,
    evidenceRoot: ZEROS,
    outcomeRoot: ZEROS,
    changesRoot: ZEROS,
    stateRoot: new Uint8Array(48).fill(height),
    workTarget: new Uint8Array(32),
    ...roots,
  };
}

/** A list that proves any of its leaves. */
interface ProvableList {
  readonly root: Uint8Array;
  prove(positions: readonly number[]): ReturnType<typeof proveLeaves>;
}

function listOf(digests: Uint8Array): ProvableList {
  const count = digests.length / ID_BYTES;
  const levels = listLevels(digests);
  const nodeOver = (first: number, end: number): Uint8Array => {
    const level = Math.log2(end - first);
    if (Number.isInteger(level)) {
      const at = first / (end - first);
      return (levels[level] as Uint8Array).slice(at * ID_BYTES, (at + 1) * ID_BYTES);
    }
    const middle = first + 2 ** Math.floor(level);
    return listNode(nodeOver(first, middle), nodeOver(middle, end));
  };
  return {
    root: listRoot(count, levels.at(-1) as Uint8Array),
    prove: (positions) => proveLeaves(count, positions, nodeOver),
  };
}

/** An account of 49 bytes, in hexadecimal. */
function account(kind: string, payment: number): string {
  return `00${toHex(hashLabel('SVC_KEY_V1', new TextEncoder().encode(`${kind} ${payment}`)))}`;
}

function addressText(hex: string): string {
  return encodeAddress(Uint8Array.from(Buffer.from(hex, 'hex')), NETWORK);
}

function idOf(payment: number): string {
  return toHex(hashLabel('SVC_TX_V1', new TextEncoder().encode(String(payment))));
}

interface FullCut {
  readonly outcomes: ProvableList;
  readonly changes: ProvableList;
  /** The proof of what became of the paid transaction. */
  readonly outcome: string;
  /** The proof of what came to an address. */
  changesOf(address: string): string;
}

function fullCut(): FullCut {
  const records = encodeOutcomeLeaves(
    Array.from({ length: PAYMENTS }, (_, payment) => ({
      transactionId: idOf(payment),
      kind: 'finalized',
      fee: 98_000n,
      noteHash: payment === PAID ? toHex(hashLabel('SVC_NOTE_V1', bytesOf(NOTE))) : '',
      payers: [account('payer', payment)],
    })),
  );
  const leaves = Array.from({ length: PAYMENTS }, (_, payment) => changesOfPayment(payment)).flat();
  leaves.sort((a, b) =>
    a.address < b.address ? -1 : a.address > b.address ? 1 : a.index - b.index,
  );
  const changeRecords = encodeChangeLeaves(leaves);
  const digestsOf = (kind: ListLeaf, of: readonly Uint8Array[]) => listOf(hashListLeaves(kind, of));
  const outcomes = digestsOf('outcome', records);
  const changes = digestsOf('change', changeRecords);
  return {
    outcomes,
    changes,
    outcome: toHex(encodeLeavesProof(outcomes.prove([PAID]), [records[PAID] as Uint8Array])),
    changesOf: (address) => {
      const own = leaves.findIndex((leaf) => leaf.address >= address);
      const end = leaves.findIndex((leaf) => leaf.address > address);
      const positions = Array.from({ length: end - own + 2 }, (_, at) => own - 1 + at);
      const shown = positions.map((at) => changeRecords[at] as Uint8Array);
      return toHex(encodeLeavesProof(changes.prove(positions), shown));
    },
  };
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

function changesOfPayment(payment: number): ChangeLeaf[] {
  const transactionId = idOf(payment);
  const change = (at: number, kind: ChangeLeaf['kind'], address: string, amount: bigint) => ({
    address,
    index: 3 * payment + at,
    kind,
    source: 'regular' as const,
    amount,
    outpoint:
      kind === 'spent'
        ? `${idOf(PAYMENTS + payment)}00000000`
        : `${transactionId}${(at - 1).toString(16).padStart(8, '0')}`,
    transactionId,
  });
  const payer = account('payer', payment);
  return [
    change(0, 'spent', payer, 1_000_000_000n),
    change(1, 'received', account('payee', payment), AMOUNT),
    change(2, 'received', payer, 1_000_000_000n - AMOUNT - 98_000n),
  ];
}

export interface FullCutEvidence {
  readonly evidence: Evidence;
  /** What a reader pinned: the cut before the head. */
  readonly checkpoint: string;
}

/**
 * Claims about a payment of a full cut, and all payments of its payee in so many full cuts, that of the payment the last. Needs
 * the module to be loaded.
 */
export function fullCutEvidence(cuts = 1): FullCutEvidence {
  const { secretKeys, encoded } = committeeOf(SIGNERS);
  const setId = validatorSetId(encoded);
  const full = fullCut();
  const roots = { outcomeRoot: full.outcomes.root, changesRoot: full.changes.root };
  const first = PAID_HEIGHT - cuts + 1;
  const headers = Array.from({ length: cuts }, (_, at) =>
    encodeCutHeader(headerOf(first + at, setId, roots)),
  );
  const pinned = headerOf(HEAD_HEIGHT - 1, setId);
  const pinnedId = cutId(encodeCutHeader(pinned));
  const ids = Array.from({ length: HEAD_HEIGHT }, (_, height) => {
    if (height === HEAD_HEIGHT - 1) return pinnedId;
    const shown = headers[height - first];
    return shown === undefined ? new Uint8Array(ID_BYTES).fill(height + 1) : cutId(shown);
  });
  const history = listOf(Buffer.concat(ids));
  const head = headerOf(HEAD_HEIGHT, setId, { historyRoot: history.root });
  const encodedHead = encodeCutHeader(head);
  const heights = headers.map((_, at) => first + at);
  const evidence: Evidence = {
    format: 'svc-evidence-v1',
    atMillis: Number(head.time),
    head: {
      network: NETWORK,
      chainId: toHex(CHAIN_ID),
      header: toHex(encodedHead),
      certificate: toHex(certificateOf(head, encodedHead, secretKeys)),
      validatorSet: toHex(encoded),
    },
    history: {
      headers: headers.map((header) => toHex(header)),
      path: toHex(encodeListProof(history.prove(heights))),
    },
    claims: claimsOf(full, heights),
  };
  return { evidence, checkpoint: checkpointOf(pinned, pinnedId, encoded) };
}

function claimsOf(full: FullCut, heights: readonly number[]): ClaimProof[] {
  const payee = account('payee', PAID);
  const to = addressText(payee);
  const [transactionId, height] = [idOf(PAID), PAID_HEIGHT];
  const { outcome } = full;
  const changes = full.changesOf(payee);
  const [fromHeight = height] = heights;
  const proofs: readonly (readonly [Claim, number | null, Record<string, string>])[] = [
    [{ kind: 'head' }, HEAD_HEIGHT, {}],
    [{ kind: 'validators' }, null, {}],
    [{ kind: 'stake', validatorId: '05'.repeat(ID_BYTES) }, null, {}],
    [{ kind: 'outcome', transactionId, height, outcome: 'finalized' }, height, { outcome }],
    [
      { kind: 'payment', transactionId, to, amount: String(AMOUNT) },
      height,
      { outcome, changes, note: NOTE },
    ],
    [
      { kind: 'payments', address: to, fromHeight, toHeight: height },
      height,
      Object.fromEntries(heights.map((each) => [`changes_${each}`, changes])),
    ],
  ];
  return proofs.map(([claim, at, parts]) => ({ claim, height: at, parts }));
}

function checkpointOf({ height, time }: CutHeader, id: Uint8Array, encodedSet: Uint8Array): string {
  return JSON.stringify({
    format: 'svc-trust-v1',
    network: NETWORK,
    chainId: toHex(CHAIN_ID),
    pinnedHeight: Number(height),
    pinnedCutId: toHex(id),
    pinnedAtMillis: Number(time),
    height: Number(height),
    cutId: toHex(id),
    trusted: trustedSetJson({
      network: NETWORK,
      chainId: CHAIN_ID,
      height,
      time,
      cutId: id,
      encodedSet,
    }),
  });
}

function certificateOf(
  header: CutHeader,
  encoded: Uint8Array,
  secretKeys: readonly Uint8Array[],
): Uint8Array {
  const content = {
    kind: 'precommit',
    height: header.height,
    round: 0,
    validRound: NO_ROUND,
    cutId: cutId(encoded),
    validatorSetId: header.validatorSetId,
  } as const;
  const message = voteSignBytes(content, header.chainId);
  const context = contextBytes(CONTEXTS.vote);
  const signatures = secretKeys.map((key) => mlDsa65.sign(key, message, { context }));
  return encodeCertificate({ ...content, signers: (1n << BigInt(SIGNERS)) - 1n, signatures });
}
