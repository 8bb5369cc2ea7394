/**
 * Proves what a node lists of the past. A change counts where the list of its cut shows it, which the header of the cut
 * commits to, and a header of the past is certified by its place in the history that a newer one names. The outputs that an
 * address has now are proven complete under the newest cut. What came and went in a past that was not followed may be left
 * out by a node; what the wallet holds may not.
 */
import type { Log } from 'svc-base/pure';
import type { Client } from 'svc-client';
import { type CertifiedCut, checkAddressCompleteness, formatAmount, SvcError } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import type { WalletError } from '../base/wallet-error.ts';
import { isNotKept, nodeFault, reading } from '../node/node-fault.ts';
import type { TrustedChain } from '../node/trusted-chain.ts';
import type { State } from '../state/open-state.ts';
import type { WalletOutput } from '../state/outputs.ts';
import type { Change } from './change.ts';
import type { CutChanges } from './cut-changes.ts';
import { inParallel } from './in-parallel.ts';

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
 * What is proven of the changes that a node tells of, under a certified cut at or above all of them. Throws where one is a
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
    const coins = formatAmount(String(output.amount));
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
