/**
 * A chain whose every cut is a function of its height, so that a process that was killed can continue
 * without a memory of what it did. Cut h executes payment h - 1: it spends one output of payment h - 2,
 * pays a coin to one of a few addresses and the rest to the next payment.
 */
import {
  applyCut,
  type CutInput,
  type CutResult,
  chainIdOf,
  type ExecutableTransaction,
  type Genesis,
  genesisState,
  keyAddress,
  LEDGER_PARAMETERS,
  type LedgerParameters,
  type LedgerPorts,
  PAYOUT_KINDS,
  type PayoutPorts,
  payoutId,
} from 'svc-ledger';
import { withInterval } from 'svc-ledger/testing';
import { fromHex } from 'svc-wasm/base';
import { cutId, encodeCertificate, encodeCutBody, hashLabel, rootOfList } from 'svc-wasm/protocol';
import { idOf } from '../../../ledger/test/testing/reference-hash.ts';
import { COIN, testGenesis } from '../../../ledger/test/testing/test-chain.ts';
import type { CutCommit } from '../../src/commit/cut-commit.ts';
import type { CommitOptions, LedgerStore } from '../../src/ledger-store.ts';
import { encodeResultHeader } from '../../src/testing/result-header.ts';

const TIME = 1_700_000_000_000;
const FEE = 1_000n;
const SIGNATURE_BYTES = 3_309;
const PAYEES = 7;
const BANK_KEY = { keyHash: idOf('bank'), publicKey: new Uint8Array(1_952).fill(5) };

export const LADDER_PARAMETERS: LedgerParameters = {
  ...withInterval(LEDGER_PARAMETERS.development, 12),
  minFeePerMass: 0n,
};

export const LADDER_GENESIS: Genesis = testGenesis([
  { name: 'alice', amount: 1_000_000n * COIN },
  { name: 'bob', amount: 300_000n * COIN },
]);

const SIGNATURES: LedgerPorts['signatures'] = { verify: () => true };

export function ladderAddress(name: string): string {
  return keyAddress(idOf(name));
}

export function payeeOf(height: number): string {
  return ladderAddress(`payee ${height % PAYEES}`);
}

function amountAt(height: number): bigint {
  const first = LADDER_GENESIS.outputs[0]?.amount ?? 0n;
  return first - BigInt(height) * (COIN + FEE);
}

function ladderPayouts(): PayoutPorts {
  return { chainId: chainIdOf(hashLabel, LADDER_GENESIS), hash: hashLabel };
}

/** The payment whose block cut `height` registers. */
export function ladderPayment(height: number): ExecutableTransaction {
  const input =
    height === 1
      ? { transactionId: payoutId(ladderPayouts(), 0, PAYOUT_KINDS.genesis, 0), outputIndex: 0 }
      : { transactionId: idOf(`payment ${height - 1}`), outputIndex: 1 };
  return {
    id: idOf(`payment ${height}`),
    validFromHeight: 0n,
    validUntilHeight: 1_000_000n,
    inputs: [{ ...input, inlineKeys: [BANK_KEY] }],
    outputs: [
      { address: payeeOf(height), amount: COIN },
      { address: ladderAddress('bank'), amount: amountAt(height) },
    ],
    declaredFee: null,
    operation: null,
    mass: 1n,
  };
}

const LARGE_BODY_BYTES = 2_500;

function blockIdOf(height: number): string {
  return idOf(`block ${height}`);
}

export function ladderInput(height: number): CutInput {
  const id = blockIdOf(height);
  const block = {
    id,
    anchorHeight: height - 1,
    anchorCutId: idOf(`cut ${height - 1}`),
    parents: [height === 1 ? idOf('cut 0') : blockIdOf(height - 1)],
    bodyRoot: idOf(`body ${id}`),
    payoutAddress: ladderAddress('miner'),
    bodyBytes: 1_000,
    mass: 1_000n,
  };
  const before = { id: blockIdOf(height - 1), transactions: [ladderPayment(height - 1)] };
  return {
    height,
    parentCutId: idOf(`cut ${height - 1}`),
    timeMillis: TIME + 500 * height,
    previousSigners: 3n,
    registered: [block],
    evidence: [],
    executed: height === 1 ? [] : [before],
  };
}

export function ladderPorts(store: LedgerStore): LedgerPorts {
  return {
    chainId: store.chainId,
    parameters: LADDER_PARAMETERS,
    hash: hashLabel,
    listRoot: rootOfList,
    signatures: SIGNATURES,
    commitments: store.commitments,
  };
}

export function applyLadder(store: LedgerStore, height: number): CutResult {
  return applyCut(ladderPorts(store), store.view, ladderInput(height));
}

export async function startLadder(store: LedgerStore): Promise<void> {
  await store.initialize(genesisState(ladderPorts(store), LADDER_GENESIS));
}

/** The bytes of a decided cut, as a node would hold them. */
export function commitOf(
  input: CutInput,
  result: CutResult,
  chain: { chainId: string; parentCutId: string },
): CutCommit {
  const blockIds = input.registered.map(({ id }) => fromHex(id));
  const header = encodeResultHeader(input, result, chain);
  const certificate = encodeCertificate({
    height: BigInt(input.height),
    round: 0,
    cutId: cutId(header),
    validatorSetId: fromHex(result.validatorSetId),
    signers: 3n,
    signatures: [0, 1].map((signer) => new Uint8Array(SIGNATURE_BYTES).fill(signer)),
  });
  return {
    input,
    result,
    header,
    body: encodeCutBody({ blockIds, evidence: [] }),
    certificate,
    blocks: input.registered.map(({ id }) => ({
      id,
      header: new Uint8Array(312).fill(input.height & 255),
      body: bodyOf(id, input.height),
    })),
  };
}

/** Those of even heights are too large for the database. */
function bodyOf(id: string, height: number): Uint8Array {
  return Buffer.from(`transactions of ${id}`.padEnd(height % 2 === 0 ? LARGE_BODY_BYTES : 0));
}

/** Applies and commits the next cut. */
export async function stepLadder(store: LedgerStore, options?: CommitOptions): Promise<CutResult> {
  const { head, chainId } = store;
  if (head === null) throw new Error('the ladder has no genesis');
  const height = head.height + 1;
  const result = applyLadder(store, height);
  const commit = commitOf(ladderInput(height), result, { chainId, parentCutId: head.cutId });
  await store.commit(commit, options);
  return result;
}

/** The ladder up to a height, as a list of commits; run through the given store. */
export async function ladderScript(store: LedgerStore, height: number) {
  const genesis = genesisState(ladderPorts(store), LADDER_GENESIS);
  await store.initialize(genesis);
  const commits: CutCommit[] = [];
  while (commits.length < height) {
    const { chainId, head } = store;
    const next = commits.length + 1;
    const result = applyLadder(store, next);
    const parentCutId = head?.cutId ?? '';
    const commit = commitOf(ladderInput(next), result, { chainId, parentCutId });
    await store.commit(commit);
    commits.push(commit);
  }
  return { genesis, commits };
}
