/**
 * Transactions whose time has passed. No cut executes a transaction after its last valid height, so once that height
 * is final and the inputs are unspent the transaction can never be executed. The node proves the inputs unspent at a
 * later cut; the proof is checked here, up to the state root of that cut, and kept.
 */
import type { ProofsUtxos } from 'svc-api';
import type { Log } from 'svc-base/pure';
import { type Client, ClientError } from 'svc-client';
import { type Network, SvcError, verifyUtxoProof } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { nodeFault } from '../node/node-fault.ts';
import type { StoredEvent } from '../state/events.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { WalletOutput } from '../state/outputs.ts';
import { settle } from './settle.ts';

export interface ExpiryPorts {
  readonly state: State;
  readonly client: Client;
  readonly network: Network;
  readonly log: Log;
}

/** Settles the transaction as expired if its inputs are proven unspent. Returns the events to tell. */
export async function settleExpired(
  options: ExpiryPorts,
  transaction: JournalTransaction,
  indexedHeight: number,
): Promise<StoredEvent[]> {
  const { state } = options;
  const held = state.outputs.reservedBy(transaction.id);
  const proof = await proveUnspent(options, held, transaction.validUntil);
  if (proof === undefined) return [];
  return state.database.transaction(() => {
    if (state.journal.transaction(transaction.id).state === 'final') return [];
    const settlement = { outcome: 'expired', height: indexedHeight, proof } as const;
    return [state.events.add('settled', indexedHeight, settle(state, transaction, settlement))];
  });
}

/**
 * Returns the proof as JSON, or undefined if it cannot be had now. A node that offers no proofs is believed without
 * one.
 */
async function proveUnspent(
  { client, log, network }: ExpiryPorts,
  held: readonly WalletOutput[],
  validUntil: number,
): Promise<string | undefined> {
  if (held.length === 0) return undefined;
  let answer: ProofsUtxos;
  try {
    answer = await client.proofsUtxos({
      outpoints: held.map(({ transactionId, outputIndex }) => ({
        transaction_id: transactionId,
        output_index: outputIndex,
      })),
    });
  } catch (error) {
    const isNotOffered = error instanceof ClientError && error.code === 'unknown_route';
    if (isNotOffered) return '{"proven":false}';
    throw nodeFault(error);
  }
  const fault = proofFault(answer, held, validUntil, network);
  if (fault === undefined) return JSON.stringify({ proven: true, ...answer });
  log.warn({ fault }, 'a transaction has passed its time, and its inputs are not proven unspent');
  return undefined;
}

function proofFault(
  { cut, finalized_height, proofs }: ProofsUtxos,
  held: readonly WalletOutput[],
  validUntil: number,
  network: Network,
): string | undefined {
  if (cut.height !== finalized_height || cut.height < validUntil)
    return `speaks of cut ${cut.height}`;
  for (const [at, output] of held.entries()) {
    const proof = proofs[at];
    if (proof === undefined || !proof.included || proof.proof_hex === null)
      return `input ${at} is spent`;
    try {
      const root = fromHex(cut.state_root);
      const proven = JSON.parse(verifyUtxoProof(fromHex(proof.proof_hex), root, network)) as {
        transaction_id: string;
        output_index: string;
      };
      const isIt =
        proven.transaction_id === output.transactionId &&
        Number(proven.output_index) === output.outputIndex;
      if (!isIt) return `input ${at} is proven for another output`;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return `input ${at}: ${error.message}`;
    }
  }
  return undefined;
}
