/**
 * Transactions one of whose inputs was spent otherwise, as the node says. Such a transaction can never be executed, and
 * whoever asked for it will pay again; so the word of the node is not enough. The node shows the other transaction, which
 * must spend that input, and proves that one of its outputs is unspent after a cut that is certified: it was executed.
 */
import { PROOFS_MAX, type ProofsUtxos } from 'svc-api';
import { ClientError } from 'svc-client';
import { checkUtxoProof, inspectTransaction, SvcError, type TransactionInspection } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { nodeFault } from '../node/node-fault.ts';
import { isRefusal } from '../node/trusted-chain.ts';
import type { StoredEvent } from '../state/events.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { WalletOutput } from '../state/outputs.ts';
import type { ExpiryPorts } from './expiry.ts';
import { settle } from './settle.ts';

export interface ConflictPorts extends ExpiryPorts {
  /** The manifest of the chain, which says how transactions are read. */
  manifest(): Promise<string>;
}

/** Settles the transaction as a conflict if that is proven. Returns the events to tell. */
export async function settleConflict(
  ports: ConflictPorts,
  transaction: JournalTransaction,
  indexedHeight: number,
): Promise<StoredEvent[]> {
  const { log, state } = ports;
  const lost = state.outputs.reservedBy(transaction.id).find(isSpentByAnother(transaction));
  if (lost === undefined) return [];
  const proof = await proveSpent(ports, lost, lost.spentBy as string);
  if (proof === undefined) {
    const { transactionId } = transaction;
    const fields = { transaction: transactionId, spent_by: lost.spentBy ?? '' };
    log.warn(fields, 'the node says that an input was spent otherwise, and does not prove it');
    return [];
  }
  return state.database.transaction(() => {
    if (state.journal.transaction(transaction.id).state === 'final') return [];
    const settlement = { outcome: 'conflict', height: indexedHeight, proof } as const;
    return [state.events.add('settled', indexedHeight, settle(state, transaction, settlement))];
  });
}

function isSpentByAnother({ transactionId }: JournalTransaction) {
  return ({ spentBy }: WalletOutput): boolean => spentBy !== null && spentBy !== transactionId;
}

/** What shows that a transaction which spends an output was executed, as JSON; undefined if it cannot be had. */
async function proveSpent(
  ports: ConflictPorts,
  output: WalletOutput,
  spender: string,
): Promise<string | undefined> {
  try {
    const { wire_hex } = await ports.client.transaction({ id: spender });
    const outputs = outputsOf(wire_hex, await ports.manifest(), output, spender) ?? 0;
    for (let first = 0; first < outputs; first += PROOFS_MAX) {
      const length = Math.min(PROOFS_MAX, outputs - first);
      const outpoints = Array.from({ length }, (_, at) => ({
        transaction_id: spender,
        output_index: first + at,
      }));
      const answer = await ports.client.proofsUtxos({ outpoints });
      if (await isExecuted(ports, answer, spender, first)) {
        return JSON.stringify({ proven: true, spent_by: wire_hex, ...answer });
      }
    }
    return undefined;
  } catch (error) {
    const isLacking = error instanceof ClientError && error.status === 404;
    if (isLacking) return undefined;
    throw nodeFault(error);
  }
}

/** How many outputs the transaction has, if it is the one of the id and spends the output. */
function outputsOf(
  wireHex: string,
  manifest: string,
  { outputIndex, transactionId }: WalletOutput,
  spender: string,
): number | undefined {
  let read: TransactionInspection;
  try {
    read = JSON.parse(inspectTransaction(fromHex(wireHex), manifest)) as TransactionInspection;
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
  const spends = read.inputs.some(
    (input) => input.transaction_id === transactionId && Number(input.output_index) === outputIndex,
  );
  return read.transaction_id === spender && spends ? read.outputs.length : undefined;
}

/** Whether an output of the transaction is proven to be unspent after a certified cut. */
async function isExecuted(
  { network, trust }: ConflictPorts,
  { cut, proofs }: ProofsUtxos,
  transactionId: string,
  first: number,
): Promise<boolean> {
  try {
    const certified = await trust.certify(cut.height);
    return proofs.some(({ included, proof_hex }, at) => {
      if (!included || proof_hex === null) return false;
      checkUtxoProof(fromHex(proof_hex), certified, transactionId, first + at, network);
      return true;
    });
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}
