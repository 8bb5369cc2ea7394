/**
 * Follows the node: reads the past of addresses that have one, catches up with the finalized cuts, and goes on
 * with each new one. The past that is read once more comes beside that, in parts between the cuts. It works in slices, so
 * that the daemon answers meanwhile, and tries again for as long as the node does not answer; it never asks another node.
 */
import type { Clock, Log } from 'svc-base/pure';
import type { Network } from 'svc-wasm';
import { WalletError } from '../base/wallet-error.ts';
import type { Reached } from '../journal/crash-points.ts';
import type { AddressBook } from '../keys/address-book.ts';
import type { Keychain } from '../keys/keychain.ts';
import { nodeBehind } from '../node/node-fault.ts';
import type { NodeLink } from '../node/node-link.ts';
import type { TrustedChain } from '../node/trusted-chain.ts';
import type { StoredEvent } from '../state/events.ts';
import type { State } from '../state/open-state.ts';
import { markComplete } from '../state/outdated.ts';
import {
  beginRescan,
  beginRestore,
  endRestore,
  isRescanning,
  isRestoring,
  seekUsed,
} from '../state/readings.ts';
import { applyLive, applyPast } from './apply-changes.ts';
import { type Audit, auditEveryChange } from './audit.ts';
import { type Change, type DetailedChange, NO_DETAILS } from './change.ts';
import type { History, Telling } from './history.ts';
import { readDetails } from './payment-details.ts';
import { type ProvenChanges, provenChanges } from './prove-received.ts';
import { provenSpends, type SpentOptions } from './prove-spent.ts';
import { ADDRESSES_PER_REQUEST, readChanges } from './read-changes.ts';
import { readPast } from './read-past.ts';
import { Rescan, type RescanProgress } from './rescan.ts';
import { NOT_STARTED, percentOf, type ScanProgress } from './scan-progress.ts';

export const GAP_DEFAULT = 1_000;
const CHANGE_GAP_MAX = 100;
const LOG_EVERY_MILLIS = 5_000;

interface ProofsWanted extends Pick<SpentOptions, 'areCoinsProven' | 'isEveryChange'> {
  readonly of: Telling;
  /** Spendings up to this height that show when outputs are proven are among the changes. */
  readonly spentUpTo?: number;
}

const PROOFS_OF_CUTS: ProofsWanted = { of: 'cuts', areCoinsProven: true, isEveryChange: true };
/** Coins that are said to be spent are for the audit: the past may have more of them than can be asked about. */
const PROOFS_OF_PAST: ProofsWanted = { of: 'cuts', areCoinsProven: false, isEveryChange: false };
/** What reading once more finds is little, and parts of a transaction come with different addresses. */
const PROOFS_AGAIN: ProofsWanted = { of: 'past', areCoinsProven: true, isEveryChange: false };

export interface ScannerPorts {
  readonly state: State;
  readonly node: NodeLink;
  readonly book: AddressBook;
  readonly keychain: Keychain;
  readonly history: History;
  readonly audit: Pick<Audit, 'hasToldAtLast'>;
  readonly trust: Pick<TrustedChain, 'certify'>;
  readonly network: Network;
  readonly clock: Clock;
  readonly log: Log;
  readonly confirmations: number;
  /** Receive addresses looked at beyond the last one used. */
  readonly gap: number;
  /** Called with the events of a commit, after the commit. */
  onEvents(events: readonly StoredEvent[]): void;
  readonly reached: Reached;
}

export class Scanner {
  readonly #ports: ScannerPorts;
  readonly #rescan: Rescan;
  #progress: ScanProgress = NOT_STARTED;
  #loggedAtMillis = 0;
  #hasReachedHead = false;
  /** The step that reads cuts now. It misses addresses that are derived meanwhile. */
  #advancing: Promise<void> = Promise.resolve();

  constructor(ports: ScannerPorts) {
    this.#ports = ports;
    const { clock, log, node, onEvents, state } = ports;
    this.#rescan = new Rescan({
      ...{ clock, log, node, onEvents, state },
      lookAhead: async () => {
        await this.#lookAhead(this.#gap);
        await this.#advancing;
      },
      reached: ports.reached,
      prove: async (found, upTo) => {
        const proven = await this.#prove(found, { ...PROOFS_AGAIN, spentUpTo: upTo });
        const changes = await this.#withDetails(proven.changes);
        // Its proofs are of the history that it serves now, which need not be that of the last cut that was read.
        await ports.history.compare(node.height);
        return { changes, executed: proven.executed };
      },
      believe: () => ports.history.believe('past'),
    });
  }

  /**
   * Whether the state has been read up to the head of a node that was synced, since it was opened. Before that nobody can
   * say whether the state is an old one that was put back; nothing is spent until somebody can.
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
    return !this.isRestoring && (await this.#rescan.readPart());
  }

  rescanFailed(error: unknown): void {
    this.#rescan.failed(error);
  }

  /** Brings the state up to the node's head once. */
  async catchUp(): Promise<void> {
    const { audit, history, node, state } = this.#ports;
    await node.rules();
    const { finalized_height, synced } = await node.refresh();
    await history.compare(finalized_height);
    // Whatever else it has kept back, what is known of the wallet is not enough to pay with.
    if (await audit.hasToldAtLast()) this.#restoreAgain();
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
   * Reads the past of all addresses up to one height. The height is kept, so that a restart reads up to the same
   * one.
   */
  async #restore(): Promise<void> {
    const { history, node, state } = this.#ports;
    if (node.height === 0) await node.refresh();
    const upTo = state.meta.number('restore_height', node.height);
    const followed = state.cuts.newest()?.height ?? 0;
    if (upTo < followed) throw nodeBehind(upTo, followed);
    state.meta.set('restore_height', String(upTo));
    // Before the first height there is no state to prove anything under, and nothing to credit.
    const cut = upTo === 0 ? null : await history.certifyUpTo(upTo);
    for (;;) {
      await this.#lookAhead(this.#gap);
      const batch = state.addresses.unscanned(ADDRESSES_PER_REQUEST);
      if (batch.length === 0) break;
      const total = state.addresses.count();
      const done = total - state.addresses.unscannedCount();
      this.#report({ phase: 'restoring', done, total, lastError: null });
      const generation = state.meta.number('generation', 0);
      for await (const changes of readPast(node.client, batch, upTo)) {
        const proven =
          cut === null
            ? { changes, executed: new Set<string>() }
            : await this.#prove(changes, { ...PROOFS_OF_PAST, spentUpTo: upTo });
        const detailed = await this.#withDetails(proven.changes);
        const { executed } = proven;
        this.#ports.onEvents(applyPast(state, detailed, upTo, { executed, generation }));
      }
      state.database.transaction(() => {
        for (const { id } of batch) {
          state.outputs.forgetUnseen(id, generation, upTo);
          state.addresses.setScanned(id);
        }
      });
    }
    const data = { reason: 'rescanned', indexed_height: upTo };
    this.#ports.onEvents(
      state.database.transaction(() => {
        endRestore(state, upTo);
        auditEveryChange(state);
        if (cut !== null) state.cuts.keep(cut);
        return [state.events.add('resync_required', upTo, data)];
      }),
    );
  }

  async #advance(target: number): Promise<void> {
    const { book, confirmations, history, node, reached, state } = this.#ports;
    const after = this.indexedHeight;
    const read = { client: node.client, addresses: state.addresses, book };
    const { changes, upTo } = await readChanges(read, after, target);
    if (upTo <= after) throw nodeBehind(upTo, after);
    const cut = await history.certifyUpTo(upTo);
    const proven = await this.#prove(changes, PROOFS_OF_CUTS);
    const detailed = await this.#withDetails(proven.changes);
    if (this.isRestoring) return;
    const events = applyLive(state, detailed, cut, {
      executed: proven.executed,
      generation: state.meta.number('generation', 0),
      confirmations,
      beforeCommit: () => reached('finalisation'),
    });
    this.#ports.onEvents(events);
    if (target - after > 1) {
      this.#report({ phase: 'catching_up', done: upTo, total: target, lastError: null });
    }
  }

  async #prove(
    changes: readonly Change[],
    { of, spentUpTo = 0, ...wanted }: ProofsWanted,
  ): Promise<ProvenChanges> {
    const { history, log, network, node, state, trust } = this.#ports;
    const { terms } = await node.rules();
    const disbelieve = (message: string): WalletError => history.disbelieve(message, { of });
    const ports = { client: node.client, network, state, trust, log, disbelieve };
    const received = await provenChanges(ports, terms, changes, spentUpTo);
    const { manifest } = terms;
    const spent = { manifest, shown: received.executed, ...wanted };
    const told = new Set([...changes, ...received.changes]);
    const executed = await provenSpends(ports, [...told], spent);
    return { changes: received.changes, executed };
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
