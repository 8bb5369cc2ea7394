/**
 * A node that proves outputs under signed cuts, or lies about them, and a wallet with one open transaction. The cuts and
 * proofs are real; only the transport is left out.
 */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { type Client, ClientError } from 'svc-client';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { encodeOutputProof, trustedSetJson } from 'svc-wasm/protocol';
import { ReferenceTree } from 'svc-wasm/testing';
import type { JournalTransaction } from '../../src/state/journal.ts';
import { openState, type State } from '../../src/state/open-state.ts';
import {
  CHAIN_ID,
  type Committee,
  committee,
  NETWORK,
  signedCut,
  TIME,
  ZEROS,
} from './certified-cuts.ts';

/** The cut that proofs lead to unless a node is told otherwise. */
export const HEIGHT = 100;
/** The last height at which the open transaction is valid. */
export const VALID_UNTIL = 60;
const ROOTS = {
  positions: new Uint8Array(64),
  validators: new Uint8Array(64),
  keys: new Uint8Array(64),
  totalsRoot: ZEROS,
};

export type TreeOutput = ConstructorParameters<typeof ReferenceTree>[0][number];

/** The output that the open transaction of the wallet spends. */
export const HELD: TreeOutput = {
  transactionId: ZEROS,
  outputIndex: 0,
  address: new Uint8Array(49),
  amount: 5n,
};

await init();
export const TRUSTED = committee(1);
export const STRANGER = committee(2);

export interface ProvingNode {
  /** The outputs that its state has. */
  readonly outputs?: readonly TreeOutput[];
  /** Who signs the cut that the proof leads to. */
  readonly signers?: Committee;
  /** What its header names as the state, in place of that of its outputs. */
  readonly signedRoot?: Uint8Array;
  readonly lacks?: 'proofs' | 'certificates' | 'transactions';
  readonly height?: number;
  readonly time?: number;
  /** What it answers in place of the first proof. */
  readonly proves?: string;
  /** How many proofs it leaves out of its answer. */
  readonly leavesOut?: number;
  /** The bytes of the transaction that it shows, whatever id it was asked for. */
  readonly wireHex?: string;
}

export function proofOf(output: TreeOutput, outputs: readonly TreeOutput[] = [output]): string {
  return toHex(encodeOutputProof(new ReferenceTree([...outputs], ROOTS).proveOutput(output)));
}

export function provingClient(node: ProvingNode): Client {
  const { outputs = [HELD], signers = TRUSTED, lacks, height = HEIGHT } = node;
  const root = new ReferenceTree([...outputs], ROOTS).stateRoot;
  const missing = (): never => {
    throw new ClientError('refused', 'no such route', { status: 404, code: 'unknown_route' });
  };
  const prove = (asked: { transaction_id: string; output_index: number }) => {
    const found = outputs.find(
      ({ outputIndex, transactionId }) =>
        toHex(transactionId) === asked.transaction_id && outputIndex === asked.output_index,
    );
    const proof_hex = node.proves ?? (found === undefined ? null : proofOf(found, outputs));
    return { outpoint: asked, included: proof_hex !== null, proof_hex };
  };
  const client = {
    proofsUtxos: async (request: { outpoints: Parameters<typeof prove>[0][] }) => {
      if (lacks === 'proofs') missing();
      const asked = request.outpoints.slice(node.leavesOut ?? 0);
      const cut = { height, state_root: toHex(root) };
      return { finalized_height: height, cut, proofs: asked.map(prove) };
    },
    transaction: async () => {
      if (lacks === 'transactions' || node.wireHex === undefined) missing();
      return { wire_hex: node.wireHex };
    },
    cutCertificate: async () => {
      if (lacks === 'certificates') missing();
      const time = node.time ?? TIME + height;
      return signedCut({ height, time, signers, stateRoot: node.signedRoot ?? root });
    },
    cutValidators: async () => ({ validator_set_hex: toHex(signers.encoded) }),
  };
  return client as unknown as Client;
}

/** A wallet that trusts a validator, and a transaction of it that is open. */
export function walletOf(t: TestContext): { state: State; transaction: JournalTransaction } {
  const identity = { fingerprint: '00112233aabbccdd', network: NETWORK };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  t.after(() => state.close());
  state.meta.set('chain_id', toHex(CHAIN_ID));
  const { encoded: encodedSet } = TRUSTED;
  const trusted = { network: NETWORK, chainId: CHAIN_ID, height: 50n, cutId: ZEROS } as const;
  const time = BigInt(TIME);
  state.meta.set('trusted_validators', trustedSetJson({ ...trusted, time, encodedSet }));
  const owner = state.addresses.add(0, 0, 'address-0', true);
  const output = { transactionId: toHex(ZEROS), outputIndex: 0, addressId: owner, amount: 5n };
  const senders = 'not_kept' as const;
  const details = { payloadText: null, payloadHex: null, senders, isMessenger: false };
  state.outputs.receive({ ...output, ...details, source: 'regular', height: 1 }, 1);
  const request = state.journal.addRequest(
    { requestId: 'r', method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 },
    'built',
  );
  const id = state.journal.addTransaction({
    request,
    kind: 'payment',
    transactionId: 'ab'.repeat(48),
    wire: new Uint8Array(3),
    validUntil: VALID_UNTIL,
    amount: 1n,
    fee: 1n,
    recipients: '[]',
    createdAtMillis: 1,
  });
  const held = state.outputs.find(toHex(ZEROS), 0);
  state.outputs.reserve([held?.id as number], id);
  return { state, transaction: state.journal.transaction(id) };
}
