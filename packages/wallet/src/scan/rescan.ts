/**
 * Reads the past of addresses once more beside normal work, a part at a time between the cuts. A batch of addresses is read
 * up to the height that the wallet has reached when the batch begins; what comes later is for the scanner, which looks at
 * every address. Only what the state lacks is proven and added, and then the node proves all that each address holds: what it
 * conceals of that shows. Nothing is forgotten. A payment that is found is reported like a new one, with the next cut; where
 * change comes back to given addresses, when all was read.
 */
import type { Clock, Log } from 'svc-base/pure';
import { WalletError } from '../errors.ts';
import type { Reached } from '../journal/crash-points.ts';
import type { NodeLink } from '../node/node-link.ts';
import type { AddressReference } from '../state/addresses.ts';
import type { StoredEvent } from '../state/events.ts';
import type { State } from '../state/open-state.ts';
import { HEIGHT_UNKNOWN, type WalletOutput } from '../state/outputs.ts';
import {
  finishRescan,
  isRescanning,
  rescanned,
  rescannedAfter,
  rescannedUpTo,
} from '../state/readings.ts';
import { applyFound, isFound } from './apply-changes.ts';
import { type Change, type DetailedChange, inParallel } from './change.ts';
import {
  ADDRESSES_PER_REQUEST,
  expectHoldings,
  type Holdings,
  keyOf,
  outpointOf,
  readPast,
} from './past.ts';

const LOG_EVERY_MILLIS = 5_000;
const LOOKED_UP_AT_ONCE = 256;
const CHECKED_AT_ONCE = 8;

export interface RescanPorts {
  readonly state: State;
  readonly node: Pick<NodeLink, 'client'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Derives the addresses that the gap asks for, and waits for cuts that are being read without them. */
  lookAhead(): Promise<void>;
  /**
   * Throws for what is a lie, and where the node serves another history. Returns what counts, with the transactions that are
   * proven to be executed.
   */
  prove(changes: readonly Change[]): Promise<ProvenPart>;
  /** All that an address holds, proven. */
  holdingsOf(address: string): Promise<Holdings>;
  disbelieve(message: string): WalletError;
  /** Ends that the node is not believed in what it reports of the past. */
  believe(): void;
  onEvents(events: readonly StoredEvent[]): void;
  readonly reached: Reached;
}

export interface ProvenPart {
  readonly changes: readonly DetailedChange[];
  readonly executed: ReadonlySet<string>;
}

/** How far it is, in addresses, and why it does not go on. */
export interface RescanProgress {
  readonly done: number;
  readonly total: number;
  readonly lastError: string | null;
}

/** A batch of addresses that is being read. */
interface Batch {
  readonly addresses: readonly AddressReference[];
  readonly parts: AsyncGenerator<Change[], void>;
  /** Outputs that came and are gone, until what spent them is read too: none is free in between. */
  readonly gone: Map<string, Change>;
  /** Of how many of the addresses it is known what they hold. */
  asked: number;
  /** What some of them hold after a cut that the wallet has not read yet. */
  waiting: readonly (readonly [AddressReference, Holdings])[];
}

export class Rescan {
  readonly #ports: RescanPorts;
  #batch: Batch | undefined;
  #lastError: string | null = null;
  #loggedAtMillis = 0;

  constructor(ports: RescanPorts) {
    this.#ports = ports;
  }

  /** Null while nothing is read again. */
  get progress(): RescanProgress | null {
    const { addresses, meta } = this.#ports.state;
    const done = rescannedUpTo(meta);
    return done === undefined
      ? null
      : { done, total: addresses.lastId(), lastError: this.#lastError };
  }

  /** Has the next part begin anew; what was read before of its batch counts no more. */
  startOver(): void {
    this.#ports.believe();
    this.#batch = undefined;
    this.#lastError = null;
  }

  failed(error: unknown): void {
    const { log } = this.#ports;
    const lastError = error instanceof Error ? error.message : String(error);
    if (!(error instanceof WalletError)) log.error({ error: lastError }, 'reading again failed');
    else if (this.#lastError !== lastError) log.warn({ error: lastError }, 'reading again waits');
    this.#lastError = lastError;
  }

  /** Reads the next part; false where there is none. */
  async readPart(): Promise<boolean> {
    const { lookAhead, onEvents, prove, reached, state } = this.#ports;
    if (!isRescanning(state.meta)) return false;
    await lookAhead();
    if (!isRescanning(state.meta)) return false;
    const batch = this.#batch ?? this.#nextBatch();
    this.#batch = batch;
    if (batch === undefined) {
      this.#end();
      return false;
    }
    try {
      const part = await batch.parts.next();
      const isLast = part.done === true;
      const found = isLast
        ? this.#leftIn(batch)
        : await this.#withoutGone(batch, await this.#foundIn(part.value));
      if (isLast && found.length === 0) return await this.#check(batch);
      const proven = found.length === 0 ? undefined : await prove(found);
      // Someone may have asked for another reading while the node was asked.
      if (this.#batch !== batch || !isRescanning(state.meta)) return true;
      if (proven !== undefined) {
        const beforeCommit = (): void => reached('rescan_found');
        const changes = isLast
          ? proven.changes.filter(({ outpoint }) => isKnown(state, outpoint))
          : proven.changes;
        onEvents(applyFound(state, changes, proven.executed, beforeCommit));
      }
    } catch (error) {
      if (this.#batch === batch) this.#batch = undefined;
      throw error;
    }
    return true;
  }

  #nextBatch(): Batch | undefined {
    const { node, state } = this.#ports;
    const after = rescannedUpTo(state.meta) ?? 0;
    const addresses = state.addresses.references(after, ADDRESSES_PER_REQUEST);
    if (addresses.length === 0) return undefined;
    const upTo = state.meta.number('indexed_height', 0);
    const parts = readPast(node.client, addresses, upTo, rescannedAfter(state.meta));
    return { addresses, parts, gone: new Map(), asked: 0, waiting: [] };
  }

  /** Puts off outputs that their addresses hold no more and whose spending is not among what was found. */
  async #withoutGone({ gone }: Batch, found: readonly Change[]): Promise<Change[]> {
    const { holdingsOf, state } = this.#ports;
    const spent = new Set<string>();
    for (const { kind, outpoint } of found) if (kind === 'spent') spent.add(keyOf(outpoint));
    const isUnknown = ({ kind, outpoint }: Change): boolean =>
      kind === 'received' && !spent.has(keyOf(outpoint)) && !isKnown(state, outpoint);
    const unknown = found.filter(isUnknown);
    const held = new Set<string>();
    for (const address of new Set(unknown.map((each) => each.address))) {
      for (const output of (await holdingsOf(address)).outputs) held.add(outpointOf(output));
    }
    for (const change of unknown) {
      if (!held.has(keyOf(change.outpoint))) gone.set(keyOf(change.outpoint), change);
    }
    const now = [...gone].filter(([key]) => spent.has(key));
    for (const [key] of now) gone.delete(key);
    const rest = found.filter(
      ({ kind, outpoint }) => kind === 'spent' || !gone.has(keyOf(outpoint)),
    );
    return [...now.map(([, change]) => change), ...rest];
  }

  /** What is left of the outputs that were put off: a lie, or spent in a cut that the wallet has read since. */
  #leftIn({ gone }: Batch): Change[] {
    const left = [...gone.values()];
    gone.clear();
    return left;
  }

  /** Compares what the next addresses hold with the state. Returns false where a cut has to be read first. */
  async #check(batch: Batch): Promise<boolean> {
    const { disbelieve, holdingsOf, state } = this.#ports;
    const next = batch.addresses.slice(batch.asked, batch.asked + CHECKED_AT_ONCE);
    const asked = await inParallel(CHECKED_AT_ONCE, next, async (each) => {
      return [each, await holdingsOf(each.address)] as const;
    });
    if (this.#batch !== batch || !isRescanning(state.meta)) return true;
    batch.asked += next.length;
    const indexed = state.meta.number('indexed_height', 0);
    const proven = [...batch.waiting, ...asked];
    batch.waiting = proven.filter(([, { height }]) => height > indexed);
    for (const [{ address, id }, holdings] of proven) {
      if (holdings.height > indexed) continue;
      const known = state.outputs.unspentAt(id, holdings.height).filter(isTold);
      expectHoldings({ disbelieve }, address, holdings, known);
    }
    if (batch.asked < batch.addresses.length) return true;
    if (batch.waiting.length > 0) return false;
    this.#endBatch(batch);
    return true;
  }

  /** What the state lacks of a part. Payments that wait come between. */
  async #foundIn(changes: readonly Change[]): Promise<Change[]> {
    const { state } = this.#ports;
    const found: Change[] = [];
    for (let at = 0; at < changes.length; at += LOOKED_UP_AT_ONCE) {
      const some = changes.slice(at, at + LOOKED_UP_AT_ONCE);
      found.push(...some.filter((change) => isFound(state, change)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return found;
  }

  #endBatch({ addresses }: Batch): void {
    const { believe, clock, log, reached, state } = this.#ports;
    state.database.transaction(() => {
      for (const { id } of addresses) state.addresses.setScanned(id);
      rescanned(state, addresses.at(-1)?.id ?? 0);
      reached('rescan_batch');
    });
    this.#batch = undefined;
    // A batch that failed was read from its beginning, so that whatever was a lie is gone.
    this.#lastError = null;
    believe();
    const now = clock.now();
    if (now - this.#loggedAtMillis < LOG_EVERY_MILLIS) return;
    this.#loggedAtMillis = now;
    const { done, total } = this.progress ?? { done: 0, total: 0 };
    log.info({ done, total }, 'history is read again');
  }

  #end(): void {
    const { log, onEvents, reached, state } = this.#ports;
    const indexed_height = state.meta.number('indexed_height', 0);
    const events = state.database.transaction(() => {
      finishRescan(state);
      const data = { reason: 'rescanned', indexed_height };
      const told = [state.events.add('resync_required', indexed_height, data)];
      reached('rescan_end');
      return told;
    });
    this.startOver();
    onEvents(events);
    log.info({ indexed_height }, 'history was read again');
  }
}

function isKnown(
  { outputs }: State,
  { output_index, transaction_id }: Change['outpoint'],
): boolean {
  return outputs.find(transaction_id, output_index) !== undefined;
}

/** Whether the node says when an output came. Those of the genesis came before every cut. */
function isTold({ height, source }: WalletOutput): boolean {
  return height !== HEIGHT_UNKNOWN || source === 'genesis';
}
