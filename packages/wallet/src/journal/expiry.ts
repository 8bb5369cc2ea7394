/**
 * Transactions whose time has passed. No cut executes a transaction after its last valid height, so once that height
 * is final and the inputs are unspent the transaction can never be executed. The node proves the inputs unspent at a
 * later cut; the proof is checked here, against that cut with the signatures of validators that the wallet trusts, and
 * kept. Nothing is settled on the word of the node.
 */
import type { ProofsUtxos } from 'svc-api';
import type { Log } from 'svc-base/pure';
import { type Client, ClientError } from 'svc-client';
import { type CertifiedCut, checkUtxoProof, type Network, SvcError } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { nodeFault } from '../node/node-fault.ts';
import { isRefusal, type TrustedChain } from '../node/trusted-chain.ts';
import type { StoredEvent } from '../state/events.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { WalletOutput } from '../state/outputs.ts';
import { settle } from './settle.ts';

export interface ExpiryPorts {
  readonly state: State;
  readonly client: Client;
  readonly network: Network;
  readonly trust: TrustedChain;
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

/** Returns the proof as JSON, or undefined if it cannot be had now. */
async function proveUnspent(
  { client, log, network, trust }: ExpiryPorts,
  held: readonly WalletOutput[],
  validUntil: number,
): Promise<string | undefined> {
  if (held.length === 0) return undefined;
  const answer = await askForProofs(client, held);
  const fault =
    answer === undefined
      ? 'the node offers no proofs'
      : answer.cut.height < validUntil
        ? `speaks of cut ${answer.cut.height}`
        : await certifiedFault(trust, answer, held, network);
  if (fault === undefined) return JSON.stringify({ proven: true, ...answer });
  log.warn({ fault }, 'a transaction has passed its time, and its inputs are not proven unspent');
  return undefined;
}

/** The answer of the node, or undefined if it does not have the route. */
async function askForProofs(
  client: Client,
  held: readonly WalletOutput[],
): Promise<ProofsUtxos | undefined> {
  const outpoints = held.map(({ transactionId, outputIndex }) => ({
    transaction_id: transactionId,
    output_index: outputIndex,
  }));
  try {
    return await client.proofsUtxos({ outpoints });
  } catch (error) {
    if (error instanceof ClientError && error.code === 'unknown_route') return undefined;
    throw nodeFault(error);
  }
}

/** What is wrong with the proofs of an answer, or with the cut they are to lead to. */
async function certifiedFault(
  trust: TrustedChain,
  { cut, proofs }: ProofsUtxos,
  held: readonly WalletOutput[],
  network: Network,
): Promise<string | undefined> {
  let certified: CertifiedCut;
  try {
    certified = await trust.certify(cut.height);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return `cut ${cut.height} is not certified: ${error.message}`;
  }
  for (const [at, output] of held.entries()) {
    const proof = proofs[at];
    if (proof === undefined || !proof.included || proof.proof_hex === null)
      return `input ${at} is spent`;
    try {
      const { transactionId, outputIndex } = output;
      checkUtxoProof(fromHex(proof.proof_hex), certified, transactionId, outputIndex, network);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return `input ${at}: ${error.message}`;
    }
  }
  return undefined;
}
