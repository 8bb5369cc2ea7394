/**
 * Proves what the node says was spent. A transaction counts as executed where one of its outputs is proven under a cut
 * that trusted validators signed, where an executed transaction of this wallet spends its output, or where it is among
 * the outcomes of its cut, which the signed header commits to. A coin counts as spent where an executed transaction spends
 * it, or where the node proves all outputs of its address without it. No payment is settled and no coin leaves the
 * balance on the word of a node.
 */
import { PROOFS_MAX } from 'svc-api';
import { ClientError, readInspected } from 'svc-client';
import { outcomeRoot, readOutcomePages } from 'svc-client/evidence';
import {
  checkAddressCompleteness,
  checkUtxoProof,
  formatAmount,
  inspectTransaction,
  SvcError,
  type TransactionInspection,
} from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { WalletError } from '../base/wallet-error.ts';
import { isNotKept, nodeFault, reading } from '../node/node-fault.ts';
import type { JournalTransaction, Outpoint } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { Change } from './change.ts';
import { believed, keyOf, type ReceivedProofPorts } from './prove-received.ts';

export interface SpentProofPorts extends ReceivedProofPorts {
  readonly state: Pick<State, 'addresses' | 'inputs' | 'journal' | 'outputs'>;
}

export interface SpentOptions {
  /** The manifest of the chain, which says how transactions are read. */
  readonly manifest: string;
  /** Ids of transactions that are proven to be executed. */
  readonly shown: ReadonlySet<string>;
  /** Whether coins that leave the balance are proven to be spent; else only payments of this wallet are. */
  readonly areCoinsProven: boolean;
  /** Whether the changes are all that their cuts have brought, so that an executed payment's own outputs are among them. */
  readonly isEveryChange: boolean;
}

/** What is known of the transactions that a node calls executed. */
export interface ProvenExecutions {
  /** Ids of those that are proven. */
  readonly executed: ReadonlySet<string>;
  /** Ids and heights of those that are proven not to be among what their cuts have executed. */
  readonly refuted: readonly Pick<Claim, 'id' | 'height'>[];
}

/** A transaction that a cut has executed, as the node says. */
interface Claim {
  readonly id: string;
  readonly height: number;
  /** The row of the journal, if this wallet has made it. */
  readonly own: JournalTransaction | undefined;
  /** The coins of the balance that it has spent. */
  readonly spends: Change[];
  /** Whether the wallet has all of them reserved for it. */
  areReserved: boolean;
}

/** With more than these in question, the outcomes of a cut are read at once instead of a proof for each. */
const PROVEN_SINGLY_MAX = 4 * PROOFS_MAX;
const ASKED_AT_ONCE = 4;

/**
 * The ids of transactions that are proven to be executed, those shown before among them. Throws where the node is shown to
 * lie. A transaction of which the node keeps too little to prove anything is left out: it stays open.
 */
export async function provenSpends(
  ports: SpentProofPorts,
  changes: readonly Change[],
  { areCoinsProven, isEveryChange, manifest, shown }: SpentOptions,
): Promise<ReadonlySet<string>> {
  const claims = claimsOf(ports.state, changes, areCoinsProven);
  const { executed, refuted } = await proveExecuted(ports, claims, shown);
  for (const { height, id } of refuted) {
    const message = `the node says that cut ${height} executed transaction ${id}, and the outcomes that validators signed lack it`;
    throw ports.disbelieve(message);
  }
  if (!areCoinsProven) return executed;
  const isSilent = ({ id }: Claim): boolean => executed.has(id) && !shown.has(id);
  const silent = isEveryChange ? claims.filter(isSilent) : [];
  for (const claim of silent) expectOwnOutputs(ports, manifest, claim, changes);
  await proveGone(ports, manifest, claims, executed);
  return executed;
}

/** Proves what can be proven of open payments of this wallet which the node called executed. */
export async function provenPayments(
  ports: SpentProofPorts,
  payments: readonly (readonly [own: JournalTransaction, height: number])[],
): Promise<ProvenExecutions> {
  const claims = payments.map(
    ([own, height]): Claim => ({
      ...{ id: own.transactionId, height, own },
      ...{ spends: [], areReserved: true },
    }),
  );
  return await proveExecuted(ports, claims, new Set());
}

async function proveExecuted(
  ports: SpentProofPorts,
  claims: readonly Claim[],
  shown: ReadonlySet<string>,
): Promise<ProvenExecutions> {
  const executed = new Set(shown);
  const refuted: Claim[] = [];
  for (const prove of [proveByOutputs, proveByOutcomes]) {
    addMakers(ports.state, claims, executed);
    const inQuestion = claims.filter(({ id }) => !executed.has(id));
    if (inQuestion.length > 0) refuted.push(...(await prove(ports, inQuestion, executed)));
  }
  return { executed, refuted };
}

/** Throws if an executed payment has an output for this wallet of which the node does not tell. */
function expectOwnOutputs(
  { disbelieve, state }: SpentProofPorts,
  manifest: string,
  { id, own }: Claim,
  changes: readonly Change[],
): void {
  const wire = own === undefined ? null : state.journal.wireOf(own.id);
  if (wire === null) return;
  const { outputs } = JSON.parse(inspectTransaction(wire, manifest)) as TransactionInspection;
  const told = new Set(changes.filter(({ kind }) => kind === 'received').map(keyOf));
  for (const [index, { address, amount }] of outputs.entries()) {
    if (told.has(`${id}:${index}`) || state.addresses.find(address) === undefined) continue;
    const coins = formatAmount(amount);
    throw disbelieve(`the node conceals a payment of ${coins} to ${address}: ${id}:${index}`);
  }
}

function claimsOf(
  { journal, outputs }: SpentProofPorts['state'],
  changes: readonly Change[],
  areCoinsProven: boolean,
): readonly Claim[] {
  const claims = new Map<string, Claim>();
  for (const change of changes) {
    const { finalized_height: height, kind, outpoint, transaction_id: id } = change;
    if (kind !== 'spent') continue;
    const own = claims.get(id)?.own ?? journal.findTransaction(id);
    const isOpen = own !== undefined && own.state !== 'final';
    const coin = outputs.find(outpoint.transaction_id, outpoint.output_index);
    const isCoin = areCoinsProven && coin?.spentHeight === null;
    if (!isOpen && !isCoin) continue;
    const claim = claims.get(id) ?? { id, height, own, spends: [], areReserved: true };
    claims.set(id, claim);
    if (!isCoin) continue;
    claim.spends.push(change);
    claim.areReserved &&= coin.reservedBy === own?.id;
  }
  return [...claims.values()];
}

/** An executed transaction spends outputs of transactions that were executed. */
function addMakers(
  state: SpentProofPorts['state'],
  claims: readonly Claim[],
  executed: Set<string>,
): void {
  const inQuestion = new Set(claims.map(({ id }) => id).filter((id) => !executed.has(id)));
  if (inQuestion.size === 0) return;
  const reached = [...executed];
  for (let id = reached.pop(); id !== undefined; id = reached.pop()) {
    const own = state.journal.findTransaction(id);
    if (own === undefined) continue;
    for (const { transactionId: maker } of inputsOf(state, own)) {
      if (!inQuestion.delete(maker)) continue;
      executed.add(maker);
      reached.push(maker);
    }
  }
}

/** What an open transaction of this wallet spends; one in place of another spends what that one does. */
function inputsOf(
  { inputs }: Pick<State, 'inputs'>,
  { id, replaces }: JournalTransaction,
): readonly Outpoint[] {
  return [...inputs.of(id), ...(replaces === null ? [] : inputs.of(replaces))];
}

/** Asks for a proof of the first output of each; what shows nothing is left in question. */
async function proveByOutputs(
  ports: SpentProofPorts,
  claims: readonly Claim[],
  executed: Set<string>,
): Promise<readonly Claim[]> {
  if (claims.length > PROVEN_SINGLY_MAX) return [];
  const { client, network, trust } = ports;
  for (let first = 0; first < claims.length; first += PROOFS_MAX) {
    const batch = claims.slice(first, first + PROOFS_MAX);
    const outpoints = batch.map(({ id }) => ({ transaction_id: id, output_index: 0 }));
    const { cut, proofs } = await reading(client.proofsUtxos({ outpoints }));
    const certified = await believed(ports, trust.certify(cut.height), cut.height);
    for (const [at, { id }] of batch.entries()) {
      const proof = proofs[at];
      if (proof === undefined || !proof.included || proof.proof_hex === null) continue;
      try {
        checkUtxoProof(fromHex(proof.proof_hex), certified, id, 0, network);
        executed.add(id);
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
      }
    }
  }
  return [];
}

/** Reads the outcomes of each cut once and returns what they lack; what the node does not keep is left in question. */
async function proveByOutcomes(
  ports: SpentProofPorts,
  claims: readonly Claim[],
  executed: Set<string>,
): Promise<readonly Claim[]> {
  const refuted: Claim[] = [];
  for (const [height, claimed] of Map.groupBy(claims, (claim) => claim.height)) {
    const finalized = await finalizedIn(ports, height);
    if (finalized === undefined) {
      const transactions = claimed.map(({ id }) => id);
      const message = 'the node keeps nothing that shows whether transactions were executed';
      ports.log.warn({ transactions: transactions.join(), height }, message);
      continue;
    }
    for (const claim of claimed) {
      if (finalized.has(claim.id)) executed.add(claim.id);
      else refuted.push(claim);
    }
  }
  return refuted;
}

/** The transactions that a cut has executed; undefined where the node does not keep what shows it. */
async function finalizedIn(
  ports: SpentProofPorts,
  height: number,
): Promise<ReadonlySet<string> | undefined> {
  const { client, trust } = ports;
  try {
    const cut = await trust.certify(height);
    const outcomes = (await readOutcomePages(client, height))?.flat() ?? [];
    if (outcomeRoot(outcomes) !== cut.outcomeRoot) {
      throw ports.disbelieve(`the outcomes of cut ${height} are not those that validators signed`);
    }
    const finalized = outcomes.filter(({ outcome }) => outcome === 'finalized');
    return new Set(finalized.map(({ transaction_id }) => transaction_id));
  } catch (error) {
    // A cut of an earlier epoch was signed by a set that is not trusted any more.
    if (isNotKept(error) || error instanceof SvcError) return undefined;
    throw nodeFault(error);
  }
}

/** Throws unless each coin that leaves the balance is spent by an executed transaction, or proven to be gone. */
async function proveGone(
  ports: SpentProofPorts,
  manifest: string,
  claims: readonly Claim[],
  executed: ReadonlySet<string>,
): Promise<void> {
  const unshown = new Map<string, Change[]>();
  for (const claim of claims) {
    const isExecuted = executed.has(claim.id);
    if (isExecuted && claim.areReserved) continue;
    const isSpent = isExecuted ? await spentBy(ports, manifest, claim) : () => false;
    for (const change of claim.spends) {
      if (isSpent(change)) continue;
      unshown.set(change.address, [...(unshown.get(change.address) ?? []), change]);
    }
  }
  const addresses = unshown.values();
  const worker = async (): Promise<void> => {
    for (const coins of addresses) await proveAbsent(ports, coins);
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, worker));
}

/** Tells which coins a transaction spends, by the journal or by its bytes. */
async function spentBy(
  { client, state }: SpentProofPorts,
  manifest: string,
  { id, own }: Claim,
): Promise<(coin: Change) => boolean> {
  if (own !== undefined && own.state !== 'final') {
    const inputs = inputsOf(state, own);
    return ({ outpoint: { output_index, transaction_id } }) =>
      inputs.some(
        ({ outputIndex, transactionId }) =>
          transactionId === transaction_id && outputIndex === output_index,
      );
  }
  const inputs = (await reading(readInspected(client, manifest, id)))?.inspection.inputs ?? [];
  const keys = new Set(inputs.map((each) => `${each.transaction_id}:${each.output_index}`));
  return (coin) => keys.has(keyOf(coin));
}

/** Throws unless the node proves all outputs of an address, without these coins. */
async function proveAbsent(ports: SpentProofPorts, coins: readonly Change[]): Promise<void> {
  const { client, trust } = ports;
  const [{ address }] = coins as readonly [Change];
  const spent = new Map(coins.map((coin) => [keyOf(coin), coin]));
  const height = Math.max(...coins.map(({ finalized_height }) => finalized_height));
  let fault: string;
  try {
    const { cut, proof_hex } = await client.addressProof({ address });
    if (cut.height < height) {
      const message = `the node proves outputs of cut ${cut.height}, before they were spent`;
      throw new WalletError('node_not_synced', message);
    }
    const certified = await believed(ports, trust.certify(cut.height), cut.height);
    const { outputs } = checkAddressCompleteness(fromHex(proof_hex), certified, address);
    const there = outputs.find((output) =>
      spent.has(`${output.transactionId}:${output.outputIndex}`),
    );
    if (there === undefined) return;
    fault = 'it is proven unspent';
  } catch (error) {
    const isRefused = error instanceof ClientError && (error.status ?? 0) >= 400;
    const isLasting = isRefused && (error.status ?? 0) < 500 && error.status !== 429;
    if (!isLasting && !(error instanceof SvcError)) throw nodeFault(error);
    fault = `its absence is not proven: ${error.message}`;
  }
  const [key] = spent.keys();
  throw ports.disbelieve(`the node says that ${key} of ${address} was spent, and ${fault}`);
}
