/**
 * Proves what the wallet's addresses received before any of it counts. An output that is unspent is proven under a cut
 * that trusted validators signed. One that is spent already was spent with a key of this wallet, so the transaction that
 * spent it has to carry a signature of that key for just this output. Nothing is credited on the word of a node.
 */
import { PROOFS_MAX, type ProofsUtxos } from 'svc-api';
import type { Log } from 'svc-base/pure';
import type { Client } from 'svc-client';
import { type CertifiedCut, checkUtxoProof, type Network, SvcError } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { WalletError } from '../base/wallet-error.ts';
import { reading } from '../node/node-fault.ts';
import { isRefusal, type TrustedChain } from '../node/trusted-chain.ts';
import type { ChainTerms } from '../spend/chain-terms.ts';
import type { Change } from './change.ts';
import { readSignedInputs, type SignedInput } from './payment-details.ts';
import { pagesOf } from './read-changes.ts';

export interface ReceivedProofPorts {
  readonly client: Client;
  readonly network: Network;
  readonly trust: Pick<TrustedChain, 'certify'>;
  readonly log: Log;
  /** The error that a node is not believed with, which stops payments too. */
  disbelieve(message: string): WalletError;
}

/** Changes that count, and what their proofs show beside them. */
export interface ProvenChanges {
  readonly changes: Change[];
  /** Ids of transactions one of whose outputs is proven: a cut has executed them. */
  readonly executed: ReadonlySet<string>;
}

const ASKED_AT_ONCE = 4;

/**
 * The changes without outputs that came and went and whose spender the node does not keep: nothing shows that they ever
 * were there, and their spending tells of them. Spendings up to a height that were found on the way are added, so that no
 * coin is free that is known to be spent. Throws for outputs that the node cannot prove although it says that they are
 * unspent.
 */
export async function provenChanges(
  ports: ReceivedProofPorts,
  terms: ChainTerms,
  changes: readonly Change[],
  spentUpTo: number,
): Promise<ProvenChanges> {
  const spenders = new Map<string, string>();
  for (const change of changes) {
    if (change.kind === 'spent') spenders.set(keyOf(change), change.transaction_id);
  }
  const received = changes.filter(({ kind }) => kind === 'received');
  const gone = received.filter((change) => spenders.has(keyOf(change)));
  const there = received.filter((change) => !spenders.has(keyOf(change)));
  const notThere = new Set(await proveUnspent(ports, there));
  gone.push(...notThere);
  const unproven = new Set<Change>();
  const signed = new Map<string, readonly SignedInput[] | undefined>();
  const spendings: Change[] = [];
  for (const change of gone) {
    let spender = spenders.get(keyOf(change));
    if (spender === undefined) {
      const spending = await findSpending(ports, change);
      spender = spending.transaction_id;
      if (spending.finalized_height <= spentUpTo) spendings.push(spending);
    }
    if (!signed.has(spender)) {
      signed.set(spender, await readSignedInputs(ports.client, terms, spender));
    }
    const inputs = signed.get(spender);
    if (inputs === undefined) {
      const fields = { transaction: change.transaction_id, spent_by: spender };
      ports.log.warn(
        fields,
        'a payment that was spent long ago cannot be proven, and is not listed',
      );
      unproven.add(change);
    } else if (!inputs.some((input) => isOf(input, change))) {
      throw unprovenPayment(ports, change, `transaction ${spender} has not spent it`);
    }
  }
  const proven = there.filter((change) => !notThere.has(change));
  return {
    changes: [...changes.filter((change) => !unproven.has(change)), ...spendings],
    executed: new Set(proven.map(({ outpoint }) => outpoint.transaction_id)),
  };
}

/** Proves outputs unspent after a certified cut; returns those of which the node says that they are not. */
async function proveUnspent(
  ports: ReceivedProofPorts,
  received: readonly Change[],
): Promise<Change[]> {
  const cuts = new Map<number, Promise<CertifiedCut>>();
  const gone: Change[] = [];
  const batches = Array.from({ length: Math.ceil(received.length / PROOFS_MAX) }, (_, at) =>
    received.slice(at * PROOFS_MAX, (at + 1) * PROOFS_MAX),
  ).values();
  const worker = async (): Promise<void> => {
    for (const batch of batches) {
      const outpoints = batch.map(({ outpoint }) => outpoint);
      const answer = await reading(ports.client.proofsUtxos({ outpoints }));
      expectNotBefore(answer, batch);
      const { height } = answer.cut;
      const certified = cuts.get(height) ?? ports.trust.certify(height);
      cuts.set(height, certified);
      const cut = await believed(ports, certified, height);
      for (const [at, change] of batch.entries()) {
        if (!checkProof(ports, change, answer.proofs[at], cut)) gone.push(change);
      }
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, worker));
  return gone;
}

function expectNotBefore({ cut }: ProofsUtxos, batch: readonly Change[]): void {
  if (batch.every(({ finalized_height }) => finalized_height <= cut.height)) return;
  const message = `the node proves outputs of cut ${cut.height}, before they came`;
  throw new WalletError('node_not_synced', message);
}

/** The cut that proofs lead to; a node whose cut was not signed is not believed. */
export async function believed(
  ports: Pick<ReceivedProofPorts, 'disbelieve'>,
  certified: Promise<CertifiedCut>,
  height: number,
): Promise<CertifiedCut> {
  try {
    return await certified;
  } catch (error) {
    if (!isRefusal(error) || !(error instanceof SvcError)) throw error;
    throw ports.disbelieve(`cut ${height} of the node is not certified: ${error.message}`);
  }
}

/** Whether the output is proven; false where the node says that it is spent. */
function checkProof(
  ports: ReceivedProofPorts,
  change: Change,
  proof: ProofsUtxos['proofs'][number] | undefined,
  cut: CertifiedCut,
): boolean {
  if (proof === undefined) throw unprovenPayment(ports, change, 'there is no answer for it');
  if (!proof.included || proof.proof_hex === null) return false;
  const { address, amount, outpoint } = change;
  let found: { readonly address: string; readonly amount: bigint };
  try {
    const bytes = fromHex(proof.proof_hex);
    const { transaction_id, output_index } = outpoint;
    found = checkUtxoProof(bytes, cut, transaction_id, output_index, ports.network);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw unprovenPayment(ports, change, error.message);
  }
  if (found.address !== address) throw unprovenPayment(ports, change, 'it belongs to another');
  if (found.amount !== BigInt(amount)) {
    throw unprovenPayment(ports, change, `proven are ${found.amount} atoms`);
  }
  return true;
}

/** The change that has spent an output, as the node says. */
async function findSpending(ports: ReceivedProofPorts, change: Change): Promise<Change> {
  const batch = [{ id: 0, address: change.address }];
  const after = Math.max(0, change.finalized_height - 1);
  for await (const page of pagesOf(ports.client, batch, after)) {
    const spent = page.changes.find(
      (other) => other.kind === 'spent' && keyOf(other) === keyOf(change),
    );
    if (spent !== undefined) return spent;
  }
  throw unprovenPayment(ports, change, 'it is not in the state that validators signed');
}

export function keyOf({ outpoint }: Pick<Change, 'outpoint'>): string {
  return `${outpoint.transaction_id}:${outpoint.output_index}`;
}

function isOf(input: SignedInput, { address, amount, outpoint }: Change): boolean {
  return (
    input.transactionId === outpoint.transaction_id &&
    input.outputIndex === outpoint.output_index &&
    input.address === address &&
    input.amount === amount
  );
}

function unprovenPayment(ports: ReceivedProofPorts, change: Change, fault: string): WalletError {
  const { address, amount } = change;
  return ports.disbelieve(
    `the node tells of ${amount} atoms for ${address}, ${keyOf(change)}, and does not prove them: ${fault}`,
  );
}
