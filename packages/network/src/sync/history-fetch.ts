/**
 * Fills in what a node has not of the time before its first cut, while it follows the chain: first the ids of all cuts, from the
 * oldest to the newest, then the cuts from the newest to the oldest. A page of ids is proven under the root in the header of the
 * first cut. A cut is believed because the cut after it names its id, its body because of the header, its blocks because of their
 * ids: nothing is executed. A peer that sends something else is not asked again for a while, so that a liar costs one request.
 *
 * It goes in small steps, and rests as long after each as the step took. What a step has brought stays when the process ends.
 */
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import { equalBytes, toHex } from 'svc-wasm/base';
import { checkCut } from 'svc-wasm/protocol';
import type { BlockBytes, ChainTip, NetworkApplication } from '../application.ts';
import type { Peers } from '../peers/peers.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { askInTurn } from './ask-in-turn.ts';
import { checkpointBelow, checkpointFrom } from './checkpoints.ts';
import type { HistoryKeeper, MissingIds, PastCut } from './history-keeper.ts';
import type { SyncTiming } from './sync.ts';
import { BLOCKS_PER_REQUEST_MAX, BODIES_PER_REQUEST_MAX, type HeaderRange } from './sync-bytes.ts';
import type { CutBodyBytes, SyncPeer } from './sync-peer.ts';
import { SyncPeers } from './sync-peers.ts';
import { readHeader, type VerifiedHeader } from './verified-headers.ts';

export interface HistoryFetchPorts {
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Log;
  readonly keeper: HistoryKeeper;
  readonly timing: Pick<SyncTiming, 'silenceMillisMax' | 'answerMillisMax'>;
  /** Whether the node has nothing more urgent to fetch. */
  readonly isCalm: () => boolean;
}

/** Bytes of blocks that one step fetches about, unless its first cut alone has more. */
const STEP_BYTES_MAX = 1 << 20;
const REST_MILLIS_MIN = 50;
/** Pause until the node is less busy, and until other peers may have what none had. */
const BUSY_MILLIS = 1_000;
const LACKING_MILLIS = 30_000;
const LOG_MILLIS = 60_000;

/** Proven headers that are not kept yet, the newest first, and the certificate of the newest if it is a checkpoint. */
interface Proven {
  readonly headers: readonly VerifiedHeader[];
  readonly certificate: Uint8Array | null;
}

interface TurnReport extends Pick<HistoryKeeper, 'wanted' | 'missingIds'> {
  readonly isFilled: boolean;
}

export class HistoryFetch {
  readonly #ports: HistoryFetchPorts;
  readonly #sources: SyncPeers;
  #proven: Proven = { headers: [], certificate: null };
  #idsRestUntilMillis = Number.NEGATIVE_INFINITY;
  #loggedAtMillis = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(ports: HistoryFetchPorts) {
    this.#ports = ports;
    this.#sources = new SyncPeers({ ...ports, ...ports.timing });
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /**
   * Resolves when the keeper has everything, or when it was closed. If the keeper fails it writes that to the log and
   * rejects.
   */
  async run(): Promise<void> {
    const { peers, keeper, log } = this.#ports;
    const ends = [
      peers.joined.on((peer) => this.#sources.joined(peer)),
      peers.left.on((peer) => this.#sources.left(peer)),
    ];
    for (const peer of peers.list()) this.#sources.joined(peer);
    try {
      while (!this.#isClosed) {
        if (keeper.wanted === undefined && keeper.missingIds === undefined) {
          log.info({}, 'all earlier cuts are here');
          return;
        }
        await this.#pause(await this.#turn());
      }
    } catch (error) {
      log.error({ error: messageOf(error) }, 'earlier cuts are filled in no further');
      throw error;
    } finally {
      for (const end of ends) end();
      for (const source of this.#sources.list()) source.close();
    }
  }

  /** Makes one step if the node has nothing better to do; resolves with how long to rest. */
  async #turn(): Promise<number> {
    const { clock, isCalm, keeper } = this.#ports;
    if (!isCalm()) return BUSY_MILLIS;
    const beganMillis = clock.monotonic();
    const { wanted, missingIds } = keeper;
    const hasIds = missingIds !== undefined && (await this.#idsStep(missingIds));
    const isFilled = hasIds || (wanted !== undefined && (await this.#step(wanted)));
    this.#tell({ wanted, missingIds, isFilled });
    return isFilled ? Math.max(REST_MILLIS_MIN, clock.monotonic() - beganMillis) : LACKING_MILLIS;
  }

  /** Whether the next ids could be fetched. Cuts are fetched meanwhile if no peer has them. */
  async #idsStep(missing: MissingIds): Promise<boolean> {
    const { clock, keeper } = this.#ports;
    if (clock.monotonic() < this.#idsRestUntilMillis) return false;
    const ids = await this.#ask(undefined, false, (source) => source.cutIds(missing));
    if (ids === undefined) this.#idsRestUntilMillis = clock.monotonic() + LACKING_MILLIS;
    if (ids === undefined || this.#isClosed) return false;
    await keeper.putIds(missing.from, ids);
    return true;
  }

  /** Whether the wanted cut, and some before it, could be fetched. */
  async #step(wanted: ChainTip): Promise<boolean> {
    const { keeper } = this.#ports;
    if (this.#proven.headers[0]?.cutId !== wanted.cutId) {
      const proven = await this.#fetchHeaders(wanted);
      if (proven === undefined) return false;
      this.#proven = proven;
    }
    const { headers, certificate } = this.#proven;
    const wantsBlocks = keeper.wantsBlocks(wanted.height);
    const group = headers.slice(0, stepLength(headers, keeper));
    const bodies = await this.#fetchBodies(group, wantsBlocks);
    if (bodies === undefined) return false;
    const ids = wantsBlocks ? bodies.flatMap(({ blockIds }) => blockIds) : [];
    const blocks = await this.#fetchBlocks(ids, group.at(-1)?.height);
    if (blocks === undefined || this.#isClosed) return false;
    const cuts = group.map(({ bytes: header }, place): PastCut => {
      const { bytes: body, blockIds } = bodies[place] as CutBodyBytes;
      return {
        header,
        body,
        certificate: place === 0 ? certificate : null,
        blocks: wantsBlocks ? blockIds.map((id) => blocks.get(id) as BlockBytes) : null,
      };
    });
    await keeper.put(cuts);
    this.#proven = { headers: headers.slice(group.length), certificate: null };
    return true;
  }

  /** The headers from a wanted one back to the checkpoint before it, which is not among them. */
  async #fetchHeaders(wanted: ChainTip): Promise<Proven | undefined> {
    const { height } = wanted;
    const before = checkpointBelow(height, this.#ports.keeper);
    const end = checkpointFrom(height, this.#ports.keeper);
    return await this.#ask(height, false, async (source) => {
      const range = await source.headers(before + 1, end - before);
      const headers = range === undefined ? undefined : linkedHeaders(range, before, wanted);
      if (range === undefined || headers === undefined) return undefined;
      const isCheckpoint = height === end && range.headers.length === end - before;
      const certificate = isCheckpoint
        ? await this.#checked(source, headers[0] as VerifiedHeader, range.certificate)
        : null;
      return { headers, certificate };
    });
  }

  /** The certificate, if it can be checked: nodes do not keep validator sets of long ago. */
  async #checked(
    source: SyncPeer,
    { height, bytes, fields }: VerifiedHeader,
    certificate: Uint8Array,
  ): Promise<Uint8Array | null> {
    const { keeper, application } = this.#ports;
    const set = keeper.setAt(height) ?? (await source.validatorSet(toHex(fields.validatorSetId)));
    if (set === undefined || !equalBytes(set.id, fields.validatorSetId)) return null;
    decoded(() => checkCut(bytes, certificate, set, application.manifest.chainId));
    return certificate;
  }

  /** All bodies of the group, in its order. */
  #fetchBodies(
    group: readonly VerifiedHeader[],
    withBlocks: boolean,
  ): Promise<CutBodyBytes[] | undefined> {
    const upwards = group.toReversed();
    return this.#ask(upwards[0]?.height, withBlocks, async (source) => {
      const bodies: CutBodyBytes[] = [];
      await source.bodies(upwards, (_, body) => void bodies.push(body));
      return bodies.length === upwards.length ? bodies.reverse() : undefined;
    });
  }

  /** All of the blocks, from as many peers as it takes. */
  async #fetchBlocks(
    ids: readonly string[],
    height: number | undefined,
  ): Promise<ReadonlyMap<string, BlockBytes> | undefined> {
    const found = new Map<string, BlockBytes>();
    for (let at = 0; at < ids.length; at += BLOCKS_PER_REQUEST_MAX) {
      const some = ids.slice(at, at + BLOCKS_PER_REQUEST_MAX);
      const isWhole = await this.#ask(height, true, async (source) => {
        const missing = some.filter((id) => !found.has(id));
        await source.blocks(
          missing,
          ({ id, header, body }) => void found.set(id, { id, header, body }),
        );
        return some.every((id) => found.has(id)) ? true : undefined;
      });
      if (isWhole === undefined) return undefined;
    }
    return found;
  }

  #ask<T>(
    height: number | undefined,
    hasBlocks: boolean,
    request: (source: SyncPeer) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { clock } = this.#ports;
    const isOver = (): boolean => this.#isClosed;
    return askInTurn({ sources: this.#sources, clock, isOver }, { height, hasBlocks }, request);
  }

  async #pause(millis: number): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#ports.clock.after(millis, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  #tell({ wanted, missingIds, isFilled }: TurnReport): void {
    const { clock, log } = this.#ports;
    const now = clock.monotonic();
    if (now < this.#loggedAtMillis + LOG_MILLIS) return;
    this.#loggedAtMillis = now;
    const left = wanted?.height ?? 0;
    const ids = missingIds === undefined ? {} : { ids_left: missingIds.height - missingIds.from };
    if (isFilled) log.info({ left, ...ids }, 'filling in earlier cuts');
    else log.info({ height: left, ...ids }, 'no peer has this earlier cut; it is asked for again');
  }
}

/**
 * The headers of a range from the wanted one downwards, each named by the one after it; undefined if the range does
 * not reach up to the wanted one.
 */
function linkedHeaders(
  { headers }: HeaderRange,
  before: number,
  { height, cutId }: ChainTip,
): VerifiedHeader[] | undefined {
  const wanted = headers.slice(0, height - before);
  if (wanted.length < height - before) return undefined;
  const linked: VerifiedHeader[] = [];
  let expected = cutId;
  for (const bytes of wanted.toReversed()) {
    const header = decoded(() => readHeader(bytes));
    if (header.cutId !== expected)
      throw new PeerFault('invalid', `sent another cut ${height - linked.length}`);
    linked.push(header);
    expected = toHex(header.fields.parentCutId);
  }
  return linked;
}

/** How many of the headers one step takes: those whose bodies and blocks are about as much as it fetches. */
function stepLength(headers: readonly VerifiedHeader[], keeper: HistoryKeeper): number {
  const [first] = headers;
  const withBlocks = first !== undefined && keeper.wantsBlocks(first.height);
  let [length, bytes] = [0, 0];
  for (const { height, fields } of headers.slice(0, BODIES_PER_REQUEST_MAX)) {
    if (keeper.wantsBlocks(height) !== withBlocks) break;
    bytes += withBlocks ? fields.registeredBytes : 0;
    if (length > 0 && bytes > STEP_BYTES_MAX) break;
    length++;
  }
  return length;
}
