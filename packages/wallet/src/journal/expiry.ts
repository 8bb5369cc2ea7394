/**
 * Transactions whose time has passed. No cut executes a transaction after its last valid height, and one that executes
 * it spends all inputs. So once that height is final and an input is unspent the transaction can never be executed; nor can
 * one that spends an output of a transaction of this wallet which is proven dead. The
 * node proves the inputs unspent at a later cut; the proof is checked here, against that cut with the signatures of validators that the wallet trusts, and
 * kept. Nothing is settled on the word of the node.
 */
import { PROOFS_MAX, type ProofsUtxos } from 'svc-api';
import type { Log } from 'svc-base/pure';
import { type Client, ClientError } from 'svc-client';
import {
  type CertifiedCut,
  checkUtxoProof,
  inspectTransaction,
  type Network,
  SvcError,
  type TransactionInspection,
} from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { nodeFault } from '../node/node-fault.ts';
import { isRefusal, type TrustedChain } from '../node/trusted-chain.ts';
import type { StoredEvent } from '../state/events.ts';
import type { JournalTransaction, Outpoint } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { WalletOutput } from '../state/outputs.ts';
import { settle } from './settle.ts';

interface ExpiryPorts {
  readonly state: State;
  readonly client: Client;
  readonly network: Network;
  readonly trust: TrustedChain;
  readonly log: Log;
}

/** Settles the transaction as expired if an input is proven unspent. Returns the events to tell. */
export async function settleExpired(
  options: ExpiryPorts,
  transaction: JournalTransaction,
  indexedHeight: number,
): Promise<StoredEvent[]> {
  const { state } = options;
  const inputs = state.inputs.of(transaction.id);
  const neverMade = proveNeverMade(state, inputs);
  const proven =
    neverMade === undefined
      ? await proveUnspent(options, inputs, transaction.validUntil)
      : { shown: neverMade, height: 0, unspent: [] };
  if (proven === undefined) return [];
  return state.database.transaction(() => {
    if (state.journal.transaction(transaction.id).state === 'final') return [];
    const { height, shown, unspent } = proven;
    for (const { outputIndex, transactionId } of unspent) {
      const output = state.outputs.find(transactionId, outputIndex);
      if (output !== undefined) state.outputs.undoSpend(output.id, height);
    }
    const proof = JSON.stringify({ proven: true, ...shown });
    const settlement = { outcome: 'expired', height: indexedHeight, proof } as const;
    return [state.events.add('settled', indexedHeight, settle(state, transaction, settlement))];
  });
}

/**
 * What shows that an input never was and never will be there: it is an output of a transaction of this wallet that is
 * proven dead. Undefined where that is so for no input.
 */
function proveNeverMade({ journal }: State, inputs: readonly Outpoint[]): object | undefined {
  for (const { outputIndex, transactionId } of inputs) {
    const maker = journal.findTransaction(transactionId);
    const isDead = maker?.outcome === 'expired' || maker?.outcome === 'conflict';
    if (!isDead || maker.proof === null) continue;
    const input = { transaction_id: transactionId, output_index: outputIndex };
    const { outcome } = maker;
    return { never_made: input, maker: { outcome, proof: JSON.parse(maker.proof) as unknown } };
  }
  return undefined;
}

interface ProvenUnspent {
  readonly shown: ProofsUtxos;
  /** The height of the cut after which they are unspent. */
  readonly height: number;
  readonly unspent: readonly Outpoint[];
}

/** Returns the inputs that are proven unspent after the validity, or undefined if none is now. */
async function proveUnspent(
  { client, log, network, trust }: ExpiryPorts,
  held: readonly Outpoint[],
  validUntil: number,
): Promise<ProvenUnspent | undefined> {
  if (held.length === 0) return undefined;
  const answer = await askForProofs(client, held);
  const found =
    answer === undefined
      ? 'the node offers no proofs'
      : answer.cut.height < validUntil
        ? `speaks of cut ${answer.cut.height}`
        : await unspentOf(trust, answer, held, network);
  if (typeof found === 'string') {
    log.warn({ fault: found }, 'a transaction has passed its time, and no input is proven unspent');
  } else if (answer !== undefined) {
    return { shown: answer, height: answer.cut.height, unspent: found };
  }
  return undefined;
}

/** The answer of the node, or undefined if it does not have the route. */
async function askForProofs(
  client: Client,
  held: readonly Outpoint[],
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

/** The outputs that the answer proves unspent after a certified cut, or what is wrong if there are none. */
async function unspentOf(
  trust: TrustedChain,
  { cut, proofs }: ProofsUtxos,
  held: readonly Outpoint[],
  network: Network,
): Promise<readonly Outpoint[] | string> {
  let certified: CertifiedCut;
  try {
    certified = await trust.certify(cut.height);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return `cut ${cut.height} is not certified: ${error.message}`;
  }
  const unspent: Outpoint[] = [];
  let fault = 'all inputs are spent';
  for (const [at, output] of held.entries()) {
    const proof = proofs[at];
    if (proof === undefined || !proof.included || proof.proof_hex === null) continue;
    try {
      const { transactionId, outputIndex } = output;
      checkUtxoProof(fromHex(proof.proof_hex), certified, transactionId, outputIndex, network);
      unspent.push(output);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      fault = `input ${at}: ${error.message}`;
    }
  }
  return unspent.length > 0 ? unspent : fault;
}

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
