/**
 * The history that the wallet follows: cut after cut, each with the signatures of validators that the wallet trusts. The
 * node is asked again and again whether it still serves that history. If it serves another one that is certified too,
 * both are kept and nothing is paid or credited until the user decides which one counts.
 */
import type { MethodResult } from 'svc-api/rpc';
import type { Clock, Log } from 'svc-base/pure';
import type { Client } from 'svc-client';
import { type CertifiedCut, SvcError } from 'svc-wasm';
import { WalletError } from '../errors.ts';
import { isNotKept, nodeFault, reading } from '../node/node-fault.ts';
import type { TrustedChain } from '../node/trusted-chain.ts';
import type { KeptCut } from '../state/cuts.ts';
import type { StoredEvent } from '../state/events.ts';
import type { State } from '../state/open-state.ts';
import { isRescanning, lowerComplete } from '../state/readings.ts';

/** Two certified histories, as `status` shows them. */
export type Contradiction = NonNullable<MethodResult<'status'>['contradiction']>;

/** What a node reports: everything up to its head, or the past that is read once more. */
export type Telling = 'cuts' | 'past';

export interface Disbelief {
  readonly cause?: unknown;
  readonly of?: Telling;
}

export interface HistoryPorts {
  readonly state: State;
  readonly client: Pick<Client, 'cut'>;
  readonly trust: TrustedChain;
  readonly clock: Clock;
  readonly log: Log;
  onEvents(events: readonly StoredEvent[]): void;
}

/** What is kept of a certified cut. */
export function keptCut({ cutId, height, time }: CertifiedCut): KeptCut {
  return { height: Number(height), cutId, atMillis: Number(time) };
}

export class History {
  readonly #ports: HistoryPorts;
  readonly #disbelief = new Map<Telling, WalletError>();

  constructor(ports: HistoryPorts) {
    this.#ports = ports;
  }

  get contradiction(): Contradiction | null {
    const kept = this.#ports.state.meta.get('contradiction');
    return kept === undefined ? null : (JSON.parse(kept) as Contradiction);
  }

  /** Throws while the node serves another history, or one that no validator has signed. */
  expectAgreement(): void {
    const { contradiction } = this;
    if (contradiction !== null) throw otherHistory(contradiction);
    const { meta } = this.#ports.state;
    for (const [of, disbelief] of this.#disbelief)
      if (of === 'cuts' || isRescanning(meta)) throw disbelief;
  }

  /** Records that the node is not believed, so that nothing is paid until it is; returns the error that says so. */
  disbelieve(message: string, { cause, of = 'cuts' }: Disbelief = {}): WalletError {
    const disbelief = new WalletError('node_not_believed', message, {
      hint: 'name another node with --service; a cut to trust with --trust, if none is trusted yet or the wallet was off for days',
      cause,
    });
    this.#disbelief.set(of, disbelief);
    return disbelief;
  }

  /**
   * Compares the history with that of the node, which has reached a height. A node that serves the own history ends a
   * contradiction that an earlier node has caused.
   */
  async compare(nodeHeight: number): Promise<void> {
    const { log, state } = this.#ports;
    const { contradiction } = this;
    if (contradiction !== null) {
      const { height, own_cut_id } = contradiction;
      if (nodeHeight < height || (await this.#cutIdAt(height)) !== own_cut_id) {
        throw otherHistory(contradiction);
      }
      state.meta.remove('contradiction');
      log.warn({ height, cut_id: own_cut_id }, 'the node serves the history of this wallet again');
    }
    const kept = state.cuts.atOrBelow(nodeHeight);
    if (kept !== undefined) await this.#expectServed(kept);
  }

  /** Ends that the node is not believed in what it reports: that was read, and nothing of it was a lie. */
  believe(of: Telling = 'cuts'): void {
    this.#disbelief.delete(of);
  }

  /**
   * Cuts from one height to another, certified and linked to the cut before them. They rest on the signatures of the last
   * one or of a later one, the cut of `signed`.
   */
  async certify(from: number, to: number, signed = to): Promise<readonly CertifiedCut[]> {
    const before = this.#ports.state.cuts.newest();
    const { trust } = this.#ports;
    const last = await this.#believed(signed, (at) => trust.follow(at));
    const heights = Array.from(
      { length: Math.min(to, signed - 1) - from + 1 },
      (_, at) => from + at,
    );
    const cuts =
      heights.length === 0
        ? []
        : await this.#believed(to, () => trust.certifyBefore(last, heights));
    const all = to === signed ? [...cuts, last] : cuts;
    const first = all[0] as CertifiedCut;
    if (before?.height === from - 1 && first.parentCutId !== before.cutId) {
      throw await this.#contradicted(before, first.parentCutId);
    }
    if (before !== undefined && before.height < from - 1) await this.#expectServed(before);
    return all;
  }

  /**
   * Gives up the own history for that of the node: what it decided is open again, and what it brought is forgotten. The
   * caller reads the past of the wallet again, within the same commit.
   */
  accept(nodeCutId: string): void {
    const { log, state, trust } = this.#ports;
    const { contradiction } = this;
    if (contradiction?.node_cut_id !== nodeCutId) {
      const message = 'there is no contradiction with this cut';
      throw new WalletError('invalid_params', message, { path: 'accept_history' });
    }
    const { agreed_height: agreed } = contradiction;
    state.journal.reopenAbove(agreed);
    state.outputs.undoAbove(agreed);
    state.inputs.reserve();
    state.cuts.forgetAbove(agreed);
    lowerComplete(state, agreed);
    trust.beginAt({ height: contradiction.height, cutId: nodeCutId });
    state.meta.remove('contradiction');
    log.warn({ ...contradiction }, 'the history of the node was accepted in place of the own one');
  }

  /** Throws unless the node serves a cut that the wallet has followed. */
  async #expectServed(kept: KeptCut): Promise<void> {
    const { trust } = this.#ports;
    const served = await this.#cutIdAt(kept.height);
    if (served === kept.cutId || served === null) return;
    const { cutId } = await this.#believed(kept.height, (at) => trust.certifyAnew(at));
    if (cutId === kept.cutId) return;
    throw await this.#contradicted(kept, cutId);
  }

  /** The node's cut of a height; null where the node does not keep it any more. */
  async #cutIdAt(height: number): Promise<string | null> {
    try {
      const { cut } = await reading(this.#ports.client.cut({ height }));
      return cut.cut_id;
    } catch (error) {
      if (isNotKept(error)) return null;
      throw error;
    }
  }

  /** The node's cut of a height; throws `node_not_believed` if no validators that are trusted signed it. */
  async #believed<T>(height: number, certify: (height: number) => Promise<T>): Promise<T> {
    try {
      return await certify(height);
    } catch (error) {
      if (!(error instanceof SvcError)) throw nodeFault(error);
      const message = `cut ${height} of the node is not certified: ${error.message}`;
      throw this.disbelieve(message, { cause: error });
    }
  }

  /** Records that the node serves another cut in place of one that the wallet has followed. */
  async #contradicted(own: KeptCut, nodeCutId: string): Promise<WalletError> {
    const { clock, log, state } = this.#ports;
    const contradiction: Contradiction = {
      height: own.height,
      own_cut_id: own.cutId,
      node_cut_id: nodeCutId,
      agreed_height: await this.#agreedBelow(own.height),
      found_at_millis: clock.now(),
    };
    const events = state.database.transaction(() => {
      state.meta.set('contradiction', JSON.stringify(contradiction));
      const data = {
        reason: 'other_history',
        indexed_height: state.meta.number('indexed_height', 0),
      };
      return [state.events.add('resync_required', own.height, data)];
    });
    this.#ports.onEvents(events);
    log.error(
      { ...contradiction },
      'the node serves another history: nothing is paid or credited until one is chosen',
    );
    return otherHistory(contradiction);
  }

  /** The highest kept height below another at which the node has the same cut; histories that part stay apart. */
  async #agreedBelow(height: number): Promise<number> {
    const { cuts } = this.#ports.state;
    const heights = cuts.heightsBelow(height);
    let [low, high] = [0, heights.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = heights[middle] as number;
      const served = await this.#cutIdAt(at);
      if (served === null || served === cuts.atOrBelow(at)?.cutId) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : (heights[low - 1] as number);
  }
}

function otherHistory(contradiction: Contradiction): WalletError {
  const { height, node_cut_id, own_cut_id } = contradiction;
  const message = `at height ${height} the wallet has followed cut ${own_cut_id}, the node serves ${node_cut_id}`;
  return new WalletError('other_history', message, {
    hint: 'name a node of the own history with --service, or give the own history up: rescan with accept_history',
    details: { contradiction },
  });
}
