/**
 * Reads what a node lists of the past of addresses; none of it counts before it is proven. Outputs of the genesis lie below
 * every cut, and a node that keeps no old history knows only what is unspent now; both are read from the lists of unspent
 * outputs.
 */
import type { Utxo } from 'svc-api';
import type { Log } from 'svc-base/pure';
import type { Client } from 'svc-client';
import { type CertifiedCut, checkAddressCompleteness, SvcError } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { coinsOf } from '../amounts.ts';
import type { WalletError } from '../errors.ts';
import { isNotKept, nodeBehind, nodeFault, reading } from '../node/node-fault.ts';
import type { TrustedChain } from '../node/trusted-chain.ts';
import type { Addresses, AddressReference } from '../state/addresses.ts';
import type { State } from '../state/open-state.ts';
import type { WalletOutput } from '../state/outputs.ts';
import { type Change, inParallel } from './change.ts';
import type { CutChanges } from './cut-changes.ts';

export const ADDRESSES_PER_REQUEST = 64;
const ROWS_PER_PAGE = 4_096;
const CHANGES_HELD_MAX = 16_384;

interface ChangesRead {
  readonly changes: readonly Change[];
  /** The changes are those up to this height. */
  readonly upTo: number;
}

export interface ReadOptions {
  readonly client: Pick<Client, 'addressChanges'>;
  readonly addresses: Pick<Addresses, 'references'>;
  /** More changes than this are handed on in parts. */
  readonly heldMax?: number;
}

/** Reads what all addresses were changed by above `after`, up to at most `target`; at least one height is read. */
export async function readSince(
  { addresses, client, heldMax = CHANGES_HELD_MAX }: ReadOptions,
  after: number,
  target: number,
): Promise<ChangesRead> {
  let upTo = target;
  let held: Change[] = [];
  for (let afterId = 0; ; ) {
    const batch = addresses.references(afterId, ADDRESSES_PER_REQUEST);
    const last = batch.at(-1);
    if (last === undefined) return { changes: held, upTo };
    afterId = last.id;
    for await (const page of pagesOf(client, batch, after)) {
      upTo = Math.min(upTo, page.upTo);
      const isNew = ({ finalized_height: height }: Change): boolean =>
        height > after && height <= upTo;
      held.push(...page.changes.filter(isNew));
      const top = page.changes.at(-1)?.finalized_height ?? 0;
      if (top > upTo) break;
      if (held.length > heldMax && top - 1 > after) {
        upTo = top - 1;
        held = held.filter(({ finalized_height }) => finalized_height <= upTo);
        break;
      }
    }
  }
}

/** Yields changes above a height and up to another, ascending for each address, in parts of bounded size. */
export async function* readPast(
  client: Client,
  batch: readonly AddressReference[],
  upTo: number,
  after = 0,
): AsyncGenerator<Change[], void> {
  const keepsHistory = yield* readHistory(client, batch, upTo, after);
  if (keepsHistory && after > 0) return;
  yield* readUnspent(client, batch, keepsHistory ? 0 : upTo);
}

async function* readHistory(
  client: Client,
  batch: readonly AddressReference[],
  upTo: number,
  after: number,
): AsyncGenerator<Change[], boolean> {
  try {
    for await (const { changes, upTo: reached } of pagesOf(client, batch, after)) {
      expectReached(reached, upTo);
      yield changes.filter(({ finalized_height }) => finalized_height <= upTo);
    }
    return true;
  } catch (error) {
    if (isNotKept(error)) return false;
    throw error;
  }
}

async function* readUnspent(
  client: Client,
  batch: readonly AddressReference[],
  upTo: number,
): AsyncGenerator<Change[], void> {
  const addresses = batch.map(({ address }) => address);
  const answer = await reading(client.addressUtxosBatch({ addresses }));
  expectReached(answer.indexed_height, upTo);
  for (const { address, utxos, truncated } of answer.addresses) {
    if (!truncated) {
      yield receivedBy(address, utxos, upTo);
      continue;
    }
    const all: Utxo[] = [];
    for await (const utxo of client.pages.addressUtxos({ address, limit: 512 })) {
      if (utxo.finalized_height <= upTo) all.push(utxo);
    }
    yield receivedBy(address, all, upTo);
  }
}

/** A node that has not come as far as the wallet does not know all of the past. */
function expectReached(height: number, upTo: number): void {
  if (height < upTo) throw nodeBehind(height, upTo);
}

function receivedBy(address: string, utxos: readonly Utxo[], upTo: number): Change[] {
  return utxos
    .filter(({ finalized_height }) => finalized_height <= upTo)
    .map((utxo) => ({
      address,
      kind: 'received',
      transaction_id: utxo.outpoint.transaction_id,
      ...utxo,
    }));
}

/** Pages of the changes of a batch above a height, ascending. */
async function* pagesOf(
  client: Pick<Client, 'addressChanges'>,
  batch: readonly AddressReference[],
  after: number,
): AsyncGenerator<ChangesRead, void> {
  const addresses = batch.map(({ address }) => address);
  let cursor: string | undefined;
  do {
    const page = await reading(
      client.addressChanges({
        addresses,
        after_height: after,
        limit: ROWS_PER_PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      }),
    );
    yield { changes: page.changes, upTo: page.indexed_height };
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}

export interface PastPorts {
  readonly client: Pick<Client, 'addressProof'>;
  readonly changes: Pick<CutChanges, 'ofAddresses'>;
  readonly trust: Pick<TrustedChain, 'certify' | 'certifyBefore'>;
  readonly log: Log;
  /** The error that a node is not believed with, which stops payments too. */
  disbelieve(message: string): WalletError;
}

/** An output that is proven to be unspent. */
export type HeldOutput = Pick<WalletOutput, 'transactionId' | 'outputIndex' | 'amount'>;

/** All outputs that an address had after a cut. */
export interface Holdings {
  readonly height: number;
  readonly cutId: string;
  readonly outputs: readonly HeldOutput[];
}

/** What counts of a telling. */
export interface ProvenTelling {
  readonly changes: readonly Change[];
  /** Ids of the transactions that are proven to be executed. */
  readonly executed: ReadonlySet<string>;
}

interface Shown {
  readonly proven: readonly Change[];
  /** Those of which the node does not keep what proves them. */
  readonly unproven: readonly Change[];
}

const ASKED_AT_ONCE = 4;

/**
 * What is proven of the changes that a node reports, under a certified cut at or above all of them. Throws where one is a
 * lie. Of a change whose proof the node does not keep counts that an output is there, or is gone, if what its address holds
 * shows that; what else came and went then is not listed.
 */
export async function proveTold(
  ports: PastPorts,
  { outputs }: Pick<State, 'outputs'>,
  head: CertifiedCut,
  told: readonly Change[],
): Promise<ProvenTelling> {
  const { genesis = [], cuts = [] } = Object.groupBy(told, ({ finalized_height: height }) =>
    height === 0 ? 'genesis' : 'cuts',
  );
  const { proven, unproven } = await proveByCuts(ports, head, cuts);
  const unshown = [...genesis, ...unproven];
  const executed = new Set(proven.map(({ transaction_id }) => transaction_id));
  if (unshown.length === 0) return { changes: proven, executed };
  const byAddress = [...Map.groupBy(unshown, ({ address }) => address)];
  const kept = await inParallel(ASKED_AT_ONCE, byAddress, async ([address, changes]) => {
    const holdings = await holdingsOf(ports, address);
    const held = new Set(holdings.outputs.map(outpointOf));
    return changes.filter(({ kind, outpoint }) =>
      kind === 'received'
        ? held.has(keyOf(outpoint))
        : !held.has(keyOf(outpoint)) &&
          outputs.find(outpoint.transaction_id, outpoint.output_index) !== undefined,
    );
  });
  const changes = [...kept.flat(), ...proven];
  const left = unshown.length - kept.flat().length;
  if (left > 0)
    ports.log.warn(
      { changes: left },
      'payments that were spent long ago cannot be proven, and are not listed',
    );
  return { changes: changes.sort((a, b) => a.finalized_height - b.finalized_height), executed };
}

async function proveByCuts(
  ports: PastPorts,
  head: CertifiedCut,
  told: readonly Change[],
): Promise<Shown> {
  const byHeight = [...Map.groupBy(told, ({ finalized_height }) => finalized_height)];
  byHeight.sort(([a], [b]) => a - b);
  const shown = await inParallel(ASKED_AT_ONCE, byHeight, ([height, changes]) =>
    proveByCut(ports, head, height, changes),
  );
  return {
    proven: shown.flatMap(({ proven }) => proven),
    unproven: shown.flatMap(({ unproven }) => unproven),
  };
}

async function proveByCut(
  ports: PastPorts,
  head: CertifiedCut,
  height: number,
  told: readonly Change[],
): Promise<Shown> {
  try {
    const cut = await certifiedAt(ports, head, height);
    const addresses = [...new Set(told.map(({ address }) => address))];
    const known = new Set((await ports.changes.ofAddresses(cut, addresses)).map(textOf));
    const invented = told.find((change) => !known.has(textOf(change)));
    if (invented !== undefined) throw inventedChange(ports, invented);
    return { proven: told, unproven: [] };
  } catch (error) {
    if (!isNotKept(error)) throw error;
    return { proven: [], unproven: told };
  }
}

async function certifiedAt(
  ports: PastPorts,
  head: CertifiedCut,
  height: number,
): Promise<CertifiedCut> {
  if (BigInt(height) === head.height) return head;
  const certified = ports.trust.certifyBefore(head, [height]);
  const [cut] = await believed(ports, height, certified);
  return cut as CertifiedCut;
}

/** All outputs that an address has, proven under a certified cut of now. */
export async function holdingsOf(ports: PastPorts, address: string): Promise<Holdings> {
  const { cut, proof_hex } = await reading(ports.client.addressProof({ address }));
  const certified = await believed(ports, cut.height, ports.trust.certify(cut.height));
  try {
    const { outputs } = checkAddressCompleteness(fromHex(proof_hex), certified, address);
    return { height: cut.height, cutId: certified.cutId, outputs };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw ports.disbelieve(`the node does not prove the outputs of ${address}: ${error.message}`);
  }
}

/** Throws unless an address holds exactly the outputs that the wallet knows of. */
export function expectHoldings(
  { disbelieve }: Pick<PastPorts, 'disbelieve'>,
  address: string,
  { outputs }: Holdings,
  known: readonly HeldOutput[],
): void {
  const own = new Set(known.map(outpointOf));
  for (const output of outputs) {
    if (own.delete(outpointOf(output))) continue;
    const coins = coinsOf(output.amount);
    throw disbelieve(
      `the node conceals a payment of ${coins} to ${address}: ${outpointOf(output)}`,
    );
  }
  for (const outpoint of own)
    throw disbelieve(`the node conceals that ${outpoint} of ${address} was spent`);
}

async function believed<T>(ports: PastPorts, height: number, certified: Promise<T>): Promise<T> {
  try {
    return await certified;
  } catch (error) {
    if (!(error instanceof SvcError)) throw nodeFault(error);
    throw ports.disbelieve(`cut ${height} of the node is not certified: ${error.message}`);
  }
}

function inventedChange(ports: PastPorts, change: Change): WalletError {
  const { address, amount, finalized_height: height, kind } = change;
  const what = `${amount} atoms of ${address}, ${keyOf(change.outpoint)}`;
  return ports.disbelieve(
    `the node says that cut ${height} has ${kind} ${what}, and the changes that validators signed lack it`,
  );
}

export function outpointOf({ outputIndex, transactionId }: HeldOutput): string {
  return `${transactionId}:${outputIndex}`;
}

export function keyOf({ output_index, transaction_id }: Change['outpoint']): string {
  return `${transaction_id}:${output_index}`;
}

function textOf({ address, amount, kind, outpoint, source, transaction_id }: Change): string {
  return [address, kind, source, amount, keyOf(outpoint), transaction_id].join();
}
