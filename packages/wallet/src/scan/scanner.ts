/**
 * Follows the node: reads the past of addresses that have one, catches up with the finalized cuts, and goes on
 * with each new one. The past that is read once more comes beside that, in parts between the cuts. It works in slices, so
 * that the daemon answers meanwhile, and tries again for as long as the node does not answer; it never asks another node.
 */
import type { Clock, Log } from 'svc-base/pure';
import type { CertifiedCut, Network } from 'svc-wasm';
import { WalletError } from '../errors.ts';
import type { Reached } from '../journal/crash-points.ts';
import type { AddressBook } from '../keys/address-book.ts';
import type { Keychain } from '../keys/keychain.ts';
import { isNotKept, nodeBehind } from '../node/node-fault.ts';
import type { NodeLink } from '../node/node-link.ts';
import type { TrustedChain } from '../node/trusted-chain.ts';
import type { AddressReference } from '../state/addresses.ts';
import type { StoredEvent } from '../state/events.ts';
import type { State } from '../state/open-state.ts';
import {
  beginRescan,
  beginRestore,
  endRestore,
  isRescanning,
  isRestoring,
  markComplete,
  markPastUnproven,
  seekUsed,
} from '../state/readings.ts';
import { applyLive } from './apply-changes.ts';
import { type Change, type DetailedChange, inParallel, NO_DETAILS } from './change.ts';
import { CutChanges } from './cut-changes.ts';
import { type History, keptCut, type Telling } from './history.ts';
import {
  ADDRESSES_PER_REQUEST,
  type Holdings,
  holdingsOf,
  keyOf,
  type PastPorts,
  type ProvenTelling,
  proveTold,
  readPast,
  readSince,
} from './past.ts';
import { readDetails } from './payment-details.ts';
import { Rescan, type RescanProgress } from './rescan.ts';

export const GAP_DEFAULT = 1_000;
const CHANGE_GAP_MAX = 100;
const LOG_EVERY_MILLIS = 5_000;

/** Cuts that are certified and applied together while the wallet catches up. */
const CUTS_AT_ONCE = 64;
const READ_AT_ONCE = 4;
export const CUTS_FOLLOWED_DEFAULT = 1_024;

interface ScannerPorts {
  readonly state: State;
  readonly node: NodeLink;
  readonly book: AddressBook;
  readonly keychain: Keychain;
  readonly history: History;
  readonly trust: Pick<TrustedChain, 'certify' | 'certifyBefore'>;
  readonly network: Network;
  readonly clock: Clock;
  readonly log: Log;
  readonly confirmations: number;
  /** Receive addresses looked at beyond the last one used. */
  readonly gap: number;
  /** A wallet that is further behind, and has fewer addresses than that, reads by address what it missed. */
  readonly cutsFollowedMax: number;
  /** Called with the events of a commit, after the commit. */
  onEvents(events: readonly StoredEvent[]): void;
  readonly reached: Reached;
}

export class Scanner {
  readonly #ports: ScannerPorts;
  readonly #rescan: Rescan;
  readonly #changes: CutChanges;
  readonly #past: PastPorts;
  #progress: ScanProgress = NOT_STARTED;
  #loggedAtMillis = 0;
  #hasReachedHead = false;
  /** The step that reads cuts now. It misses addresses that are derived meanwhile. */
  #advancing: Promise<void> = Promise.resolve();

  constructor(ports: ScannerPorts) {
    this.#ports = ports;
    const { clock, log, node, onEvents, state } = ports;
    this.#changes = this.#changesTold('cuts');
    this.#past = this.#pastTold('cuts');
    const past = this.#pastTold('past');
    this.#rescan = new Rescan({
      ...{ clock, log, node, onEvents, state },
      holdingsOf: (address) => holdingsOf(past, address),
      disbelieve: past.disbelieve,
      lookAhead: async () => {
        await this.#lookAhead(this.#gap);
        await this.#advancing;
      },
      reached: ports.reached,
      prove: async (found) => {
        const proven = await proveTold(past, state, await ports.trust.certify(node.height), found);
        const changes = await this.#withDetails(proven.changes);
        // Its proofs are of the history that it serves now, which need not be that of the last cut that was read.
        await ports.history.compare(node.height);
        return { changes, executed: proven.executed };
      },
      believe: () => ports.history.believe('past'),
    });
  }

  #changesTold(of: Telling): CutChanges {
    const { book, history, network, node, state } = this.#ports;
    const disbelieve = (message: string): WalletError => history.disbelieve(message, { of });
    const { addresses } = state;
    return new CutChanges({ client: node.client, network, book, addresses, disbelieve });
  }

  #pastTold(of: Telling): PastPorts {
    const { history, log, node, trust } = this.#ports;
    const disbelieve = (message: string): WalletError => history.disbelieve(message, { of });
    return { client: node.client, changes: this.#changesTold(of), trust, log, disbelieve };
  }

  /**
   * Whether the state has been read up to the head of a node that was synced, since it was opened. Before that it is unknown
   * whether the state is an old one that was put back, and nothing is spent.
   */
  get hasReachedHead(): boolean {
    return this.#hasReachedHead;
  }

  get progress(): ScanProgress {
    return this.#progress;
  }

  get indexedHeight(): number {
    return this.#ports.state.meta.number('indexed_height', 0);
  }

  /** Whether the past of some addresses is still to be read; nothing is spent until it is. */
  get isRestoring(): boolean {
    return isRestoring(this.#ports.state.meta);
  }

  /** How far the past is read that is read once more beside normal work; null while none is. */
  get rescanProgress(): RescanProgress | null {
    return this.#rescan.progress;
  }

  /**
   * Reads the past of all addresses once more, beside normal work, with more of them if a larger gap is asked for. After a
   * contradiction that is possible with the cut of the node whose history is accepted, and not otherwise; what is known of
   * the wallet then counts no more, and everything is read before anything is paid or credited.
   */
  rescan(gap: number | undefined, acceptHistory?: string): void {
    const { history, node, state } = this.#ports;
    if (acceptHistory === undefined && history.contradiction !== null) history.expectAgreement();
    const gapBefore = this.#gap;
    state.database.transaction(() => {
      if (acceptHistory !== undefined) history.accept(acceptHistory);
      if (gap !== undefined) state.meta.set('gap', String(gap));
      if (acceptHistory !== undefined || this.isRestoring) this.#restoreAgain();
      else beginRescan(state);
      if (this.#gap > gapBefore && !this.isRestoring) seekUsed(state);
    });
    this.#rescan.startOver();
    if (acceptHistory !== undefined) node.forgetHeight();
  }

  #restoreAgain(): void {
    const { state } = this.#ports;
    state.database.transaction(() => beginRestore(state));
    this.#rescan.startOver();
    const total = state.addresses.count();
    this.#report({ phase: 'restoring', done: 0, total, lastError: null });
  }

  /** Addresses looked at beyond the last one used. */
  get #gap(): number {
    return Math.max(this.#ports.gap, this.#ports.state.meta.number('gap', 0));
  }

  /** Reads a part of the past that is read once more; false where nothing is left. Called when the state has caught up. */
  async readPartAgain(): Promise<boolean> {
    const { node } = this.#ports;
    return node.height > 0 && !this.isRestoring && (await this.#rescan.readPart());
  }

  /** Has what is read again begin anew, at another node. */
  startOver(): void {
    this.#rescan.startOver();
  }

  rescanFailed(error: unknown): void {
    this.#rescan.failed(error);
  }

  /** Brings the state up to the node's head once. */
  async catchUp(): Promise<void> {
    const { history, node, state } = this.#ports;
    await node.rules();
    const { finalized_height, synced } = await node.refresh();
    await history.compare(finalized_height);
    // A larger gap that is asked for is derived beside the cuts.
    const gap = isRescanning(state.meta) ? this.#ports.gap : this.#gap;
    await this.#lookAhead(gap);
    while (this.isRestoring || this.indexedHeight < node.height) {
      // Someone may ask for a rescan while a step waits for the node, so each step looks anew at what is to be done.
      if (this.isRestoring) {
        await this.#restore();
        continue;
      }
      const step = this.#advance(node.height);
      this.#advancing = step.catch(() => {});
      await step;
    }
    await this.#lookAhead(gap);
    history.believe();
    if (synced) {
      markComplete(state, this.indexedHeight);
      this.#hasReachedHead = true;
    }
    this.#report({ phase: 'following', done: node.height, total: node.height, lastError: null });
  }

  failed(error: unknown): void {
    const { log } = this.#ports;
    const lastError = error instanceof Error ? error.message : String(error);
    if (!(error instanceof WalletError)) log.error({ error: lastError }, 'the scan failed');
    else if (this.#progress.lastError !== lastError)
      log.warn({ error: lastError }, 'waiting for the node');
    this.#progress = { ...this.#progress, phase: 'waiting_for_node', lastError };
  }

  /**
   * Takes what all addresses hold now from proofs that nothing is left out. The lists of the past show which addresses were
   * used, and count as unproven: they are read again, and proven, beside normal work. The height that a restore began at is
   * kept, so that what came after it is followed.
   */
  async #restore(): Promise<void> {
    const { history, node, state } = this.#ports;
    if (node.height === 0) await node.refresh();
    const upTo = state.meta.number('restore_height', node.height);
    const followed = state.cuts.newest()?.height ?? 0;
    if (upTo < followed) throw nodeBehind(upTo, followed);
    state.meta.set('restore_height', String(upTo));
    // Before the first height there is no state to prove anything under, and nothing to credit.
    const cuts = upTo === 0 ? [] : await history.certify(upTo, upTo);
    for (;;) {
      await this.#lookAhead(this.#gap);
      const batch = state.addresses.unscanned(ADDRESSES_PER_REQUEST);
      if (batch.length === 0) break;
      const total = state.addresses.count();
      const done = total - state.addresses.unscannedCount();
      this.#report({ phase: 'restoring', done, total, lastError: null });
      await this.#restoreBatch(batch, upTo);
    }
    const data = { reason: 'rescanned', indexed_height: upTo };
    this.#ports.onEvents(
      state.database.transaction(() => {
        endRestore(state, upTo);
        for (const cut of cuts) state.cuts.keep(keptCut(cut));
        return [state.events.add('resync_required', upTo, data)];
      }),
    );
  }

  async #restoreBatch(batch: readonly AddressReference[], upTo: number): Promise<void> {
    const { node, state } = this.#ports;
    const usedAt = new Map<string, number>();
    const received: Change[] = [];
    for await (const changes of readPast(node.client, batch, upTo)) {
      for (const change of changes) {
        usedAt.set(change.address, change.finalized_height);
        if (change.kind === 'received') received.push(change);
      }
    }
    const sources = new Map(received.map(({ outpoint, source }) => [keyOf(outpoint), source]));
    const isUsed = ({ address }: AddressReference): boolean =>
      usedAt.has(address) || (state.addresses.find(address)?.outputCount ?? 0) > 0;
    const held = await inParallel(READ_AT_ONCE, batch.filter(isUsed), async ({ address, id }) => {
      // No cut commits to the genesis: its outputs are taken as listed, and proven beside normal work after the first cut.
      const { outputs } =
        upTo === 0
          ? { outputs: outputsOf(received, address) }
          : await holdingsOf(this.#past, address);
      return { id, outputs };
    });
    const generation = state.meta.number('generation', 0);
    state.database.transaction(() => {
      if (usedAt.size > 0) markPastUnproven(state);
      for (const { address, id } of batch) {
        const height = usedAt.get(address);
        if (height !== undefined) state.addresses.markUsed(id, height);
        state.addresses.setScanned(id);
      }
      for (const { id: addressId, outputs } of held) {
        for (const { amount, outputIndex, transactionId } of outputs) {
          const outpoint = { transaction_id: transactionId, output_index: outputIndex };
          const source = sources.get(keyOf(outpoint)) ?? 'regular';
          state.outputs.hold({ transactionId, outputIndex, addressId, amount, source }, generation);
        }
        state.outputs.forgetUnheld(addressId, generation);
      }
    });
  }

  async #advance(target: number): Promise<void> {
    const { book, cutsFollowedMax, history } = this.#ports;
    const after = this.indexedHeight;
    if (target - after > Math.max(cutsFollowedMax, book.size)) {
      await this.#comeBack(after, target);
      return;
    }
    const to = Math.min(target, after + CUTS_AT_ONCE);
    const cuts = await history.certify(after + 1, to, target);
    const read = await inParallel(READ_AT_ONCE, cuts, (cut) =>
      this.#changes.ofWallet(cut).catch((error: unknown) => ({ error })),
    );
    const whole = read.findIndex((each) => 'error' in each);
    const changes = read.slice(0, whole < 0 ? cuts.length : whole) as Change[][];
    const last = cuts[changes.length - 1];
    if (last !== undefined) await this.#applyUpTo(last, tellingOf(changes.flat()));
    for (const each of read) if ('error' in each) throw each.error;
    if (target - after > 1) {
      this.#report({ phase: 'catching_up', done: to, total: target, lastError: null });
    }
  }

  /** Reads by address what happened while the wallet was away; that nothing is left out is checked beside normal work. */
  async #comeBack(after: number, target: number): Promise<void> {
    const { history, node, state } = this.#ports;
    beginRescan(state, after);
    this.#rescan.startOver();
    try {
      const { addresses } = state;
      const { changes, upTo } = await readSince({ client: node.client, addresses }, after, target);
      if (upTo <= after) throw nodeBehind(upTo, after);
      const [cut] = (await history.certify(upTo, upTo, target)) as [CertifiedCut];
      await this.#applyUpTo(cut, await proveTold(this.#past, state, cut, changes));
      this.#report({ phase: 'catching_up', done: upTo, total: target, lastError: null });
    } catch (error) {
      if (!isNotKept(error)) throw error;
      this.#restoreAgain();
    }
  }

  async #applyUpTo(cut: CertifiedCut, { changes, executed }: ProvenTelling): Promise<void> {
    const { confirmations, reached, state } = this.#ports;
    const detailed = await this.#withDetails(changes);
    if (this.isRestoring) return;
    const events = applyLive(state, detailed, keptCut(cut), {
      executed,
      generation: state.meta.number('generation', 0),
      confirmations,
      beforeCommit: () => reached('finalisation'),
    });
    this.#ports.onEvents(events);
  }

  /** Adds the details of payments to changes. Outputs for change need none, because the wallet made them. */
  async #withDetails(changes: readonly Change[]): Promise<DetailedChange[]> {
    const { book, node, state } = this.#ports;
    const { terms } = await node.rules();
    const payments = changes.filter(
      ({ address, kind, source }) =>
        kind === 'received' && source === 'regular' && state.addresses.find(address)?.branch === 0,
    );
    const detailsOf = await readDetails(node.client, terms, payments);
    const isPayment = new Set(payments);
    return changes.flatMap((change) => {
      const addressId = book.idOf(change.address);
      if (addressId === undefined) return [];
      return [
        { ...change, addressId, details: isPayment.has(change) ? detailsOf(change) : NO_DETAILS },
      ];
    });
  }

  async #lookAhead(gap: number): Promise<void> {
    const { keychain } = this.#ports;
    const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await keychain.lookAhead(0, gap, pause);
    await keychain.lookAhead(1, Math.min(gap, CHANGE_GAP_MAX), pause);
  }

  #report(progress: ScanProgress): void {
    const { clock, log } = this.#ports;
    const isNewPhase = progress.phase !== this.#progress.phase;
    this.#progress = progress;
    const now = clock.now();
    if (
      !isNewPhase &&
      (progress.phase === 'following' || now - this.#loggedAtMillis < LOG_EVERY_MILLIS)
    )
      return;
    this.#loggedAtMillis = now;
    const { phase, done, total } = progress;
    log.info({ phase, done, total, percent: percentOf(progress) }, 'scan');
  }
}

function tellingOf(changes: readonly Change[]): ProvenTelling {
  return { changes, executed: new Set(changes.map(({ transaction_id }) => transaction_id)) };
}

/** The outputs that some changes of an address brought. */
function outputsOf(received: readonly Change[], address: string): Holdings['outputs'] {
  return received
    .filter((change) => change.address === address)
    .map(({ amount, outpoint: { output_index, transaction_id } }) => ({
      amount: BigInt(amount),
      outputIndex: output_index,
      transactionId: transaction_id,
    }));
}

type ScanPhase = 'waiting_for_node' | 'restoring' | 'catching_up' | 'following';

interface ScanProgress {
  readonly phase: ScanPhase;
  /** Addresses while restoring, heights while catching up. */
  readonly done: number;
  readonly total: number;
  readonly lastError: string | null;
}

const NOT_STARTED: ScanProgress = {
  phase: 'waiting_for_node',
  done: 0,
  total: 0,
  lastError: null,
};

export function percentOf({ done, total }: ScanProgress): number {
  return total === 0 ? 100 : Math.floor((100 * done) / total);
}
