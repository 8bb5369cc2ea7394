/**
 * Fetches the state of a cut from several peers, a range at a time from each. The keeper of the state proves each
 * piece; a peer whose piece is refused is left out for a while, so that a liar costs one range. A state that does not
 * arrive is abandoned for another one, once the cut and the manifest of that are proven. It runs once, before a node
 * has a chain.
 */
import { type Clock, type Log, sleep } from 'svc-base/pure';
import { isRefusal, toHex } from 'svc-wasm/base';
import { sha384 } from 'svc-wasm/kernel';
import { checkCut, cutId, decodeCutHeader } from 'svc-wasm/protocol';
import type { NetworkApplication, StateOffer } from '../application.ts';
import type { Peers } from '../peers/peers.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { RangeHunt } from './range-hunt.ts';
import type { CertifiedHeader, Checkpoint, StateKeeper } from './state-keeper.ts';
import { type RankedOffer, StateOffers } from './state-offers.ts';
import type { SyncTiming } from './sync.ts';
import type { SyncPeer } from './sync-peer.ts';
import { SyncPeers } from './sync-peers.ts';

export interface StateFetchPorts {
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Log;
  readonly keeper: StateKeeper;
  readonly timing: Pick<SyncTiming, 'silenceMillisMax' | 'answerMillisMax' | 'impatienceMillis'>;
}

/** Choosing a state waits so long for more peers, unless so many have answered that this node dialled. */
const CHOOSE_MILLIS = 5_000;
const ENOUGH_ANSWERS = 3;
/** How long it waits for a state that a dialled peer names. */
const DIAL_MILLIS = 30_000;
const LOOK_MILLIS = 100;
const RETRY_MILLIS = 2_000;
const LOG_MILLIS = 5_000;
const DOUBT_LOG_MILLIS = 60_000;

/** How far the fetching of a state is. */
export interface StateProgress {
  readonly ranges: number;
  readonly rangesLeft: number;
  /** Bytes of the ranges that were proven since the start of the process. */
  readonly provenBytes: number;
  /** Ranges of peers that were not what the manifest names. */
  readonly refusedRanges: number;
}

interface ShownState {
  readonly cut: CertifiedHeader;
  readonly manifest: Uint8Array;
}

export class StateFetch {
  readonly #ports: StateFetchPorts;
  readonly #sources: SyncPeers;
  readonly #offers: StateOffers;
  #wake: () => void = () => {};
  #loggedAtMillis = Number.NEGATIVE_INFINITY;
  #doubtedAtMillis = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #hunt: RangeHunt | undefined;
  #hasCheckpoint = false;
  #choosingSinceMillis: number | undefined;
  #provenBytes = 0;
  #refusedRanges = 0;

  constructor(ports: StateFetchPorts) {
    this.#ports = ports;
    this.#sources = new SyncPeers({ ...ports, ...ports.timing });
    this.#offers = new StateOffers(this.#sources, ports.clock);
  }

  get progress(): StateProgress {
    return {
      ranges: this.#hunt?.ranges ?? 0,
      rangesLeft: this.#hunt?.left ?? 0,
      provenBytes: this.#provenBytes,
      refusedRanges: this.#refusedRanges,
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Resolves with the height when the keeper has all of a state, with undefined if it was closed before. */
  async run(): Promise<number | undefined> {
    const { peers } = this.#ports;
    const ends = [
      peers.joined.on((peer) => this.#sources.joined(peer)),
      peers.left.on((peer) => this.#sources.left(peer)),
    ];
    for (const peer of peers.list()) this.#sources.joined(peer);
    try {
      return await this.#run();
    } finally {
      for (const end of ends) end();
    }
  }

  async #run(): Promise<number | undefined> {
    while (!this.#isClosed) {
      const offer = this.#ports.keeper.begun ?? (await this.#beginAny());
      if (offer === undefined) return undefined;
      if (await this.#fetchRanges(offer)) return offer.height;
    }
    return undefined;
  }

  /** Begins with the best state that can be proven; undefined if it was closed before. */
  async #beginAny(): Promise<StateOffer | undefined> {
    while (!this.#isClosed) {
      await this.#trust();
      const offer = await this.#choose();
      if (offer === undefined) return undefined;
      if (await this.#begin(offer)) return offer;
      if (this.#offers.best()?.isAside !== false) await sleep(this.#ports.clock, RETRY_MILLIS);
    }
    return undefined;
  }

  /** Fetches what the checkpoint commits to, once. */
  async #trust(): Promise<void> {
    const { keeper, clock } = this.#ports;
    while (!this.#isClosed && !(await this.#isTrusting())) {
      const { height = 0 } = keeper.checkpoint ?? {};
      this.#tell({ height }, 'waiting for a peer that shows the trusted cut');
      await sleep(clock, LOOK_MILLIS);
    }
  }

  /** Asks for the checkpoint unless it is here: any peer may show it, since its id is its hash. */
  async #isTrusting(): Promise<boolean> {
    const { keeper } = this.#ports;
    const { checkpoint } = keeper;
    if (checkpoint === undefined || this.#hasCheckpoint) return true;
    for (const source of this.#sources.usable()) {
      const shown = await this.#sources.ask(source, () => shownCheckpoint(source, checkpoint));
      if (shown === undefined) continue;
      keeper.trust(shown.header, shown.set);
      this.#hasCheckpoint = true;
      return true;
    }
    return false;
  }

  async #choose(): Promise<StateOffer | undefined> {
    const { clock, peers } = this.#ports;
    while (!this.#isClosed) {
      this.#offers.ask();
      const best = this.#offers.best();
      if (best !== undefined && this.#isChosen(best)) return best.offer;
      this.#tell({ peers: peers.size }, 'waiting for peers that offer a state');
      await sleep(clock, LOOK_MILLIS);
    }
    return undefined;
  }

  /** Any host can dial this node and name a state, so it waits longer for those that it dialled. */
  #isChosen({ dialled }: RankedOffer): boolean {
    const now = this.#ports.clock.monotonic();
    this.#choosingSinceMillis ??= now;
    const waitMillis = dialled > 0 ? CHOOSE_MILLIS : DIAL_MILLIS;
    const hasWaited = now >= this.#choosingSinceMillis + waitMillis;
    return hasWaited || this.#offers.dialledAnswers >= ENOUGH_ANSWERS;
  }

  /** Proves cut and manifest with one peer after another; what none of them shows is set aside with them. */
  async #begin(offer: StateOffer): Promise<boolean> {
    const { keeper } = this.#ports;
    for (const source of this.#offers.having(offer)) {
      if (this.#isClosed) return false;
      const shown = await this.#shownBy(source, offer);
      if (shown === undefined) {
        this.#offers.setSourceAside(source);
        continue;
      }
      const refusal = await keeper.begin(shown.cut, shown.manifest);
      if (refusal === null) {
        this.#sources.delivered(source);
        return true;
      }
      this.#refuse(offer, refusal);
      return false;
    }
    this.#offers.setAside(offer);
    return false;
  }

  /** The cut of a state, which follows from what is trusted, and the manifest that a peer has for it. */
  async #shownBy(source: SyncPeer, offer: StateOffer): Promise<ShownState | undefined> {
    const { application, keeper } = this.#ports;
    const { chainId } = application.manifest;
    const cut = await this.#sources.ask(source, () => certifiedCut(source, offer.height, chainId));
    if (cut === undefined) return undefined;
    const doubt = keeper.refusalOfCut(cut);
    if (doubt !== null) {
      this.#doubt(source, doubt);
      return undefined;
    }
    const manifest = await this.#sources.ask(source, () => manifestOf(source, offer));
    return manifest === undefined ? undefined : { cut, manifest };
  }

  /** Peers may be honest and the trust too old, so this is logged repeatedly, but rarely. */
  #doubt(source: SyncPeer, reason: string): void {
    const now = this.#ports.clock.monotonic();
    if (now < this.#doubtedAtMillis + DOUBT_LOG_MILLIS) return;
    this.#doubtedAtMillis = now;
    const fields = { peer: source.peer.id, reason };
    this.#ports.log.warn(fields, 'a cut does not follow from the trusted');
  }

  /** A wrong manifest is wrong from every peer: its name is its hash. */
  #refuse(offer: StateOffer, refusal: string): void {
    this.#ports.log.warn({ reason: refusal }, 'the manifest of a state is refused');
    for (const { peer } of this.#offers.having(offer))
      peer.reject(new PeerFault('invalid', `offers a state that is refused: ${refusal}`));
    this.#offers.refuse(offer);
  }

  /** Resolves with false if it was closed, or if another state was begun because this one does not arrive any more. */
  async #fetchRanges(offer: StateOffer): Promise<boolean> {
    const { keeper, clock, log } = this.#ports;
    const missing = await keeper.missing();
    const { ranges } = keeper;
    const hunt = new RangeHunt(offer, ranges, missing, clock.monotonic());
    this.#hunt = hunt;
    const { height } = offer;
    log.info({ height, ranges, left: hunt.left }, 'fetching a state');
    while (hunt.left > 0) {
      if (this.#isClosed) return false;
      this.#offers.ask();
      while (this.#startRange(hunt));
      if (await this.#isChanged(hunt)) return false;
      const peers = this.#helpers(hunt).length;
      this.#tell({ height, ranges, left: hunt.left, peers }, 'fetching a state');
      await this.#pause();
      if (hunt.failure !== undefined) throw hunt.failure.error;
    }
    return true;
  }

  /** Begins another state in place of one that does not arrive, whose ranges are kept until then. */
  async #isChanged(hunt: RangeHunt): Promise<boolean> {
    const { clock, log } = this.#ports;
    const { offer } = hunt;
    const other = this.#offers.best(offer);
    const hasOther = other?.isAside === false;
    const helpers = this.#helpers(hunt).length;
    if (!hunt.isHopeless(clock.monotonic(), { helpers, hasOther }) || !hasOther) return false;
    if (!(await this.#isTrusting()) || !(await this.#begin(other.offer))) return false;
    const { height } = offer;
    log.warn({ height }, 'this state does not come any more; another is fetched');
    this.#offers.giveUp(offer, other.offer);
    return true;
  }

  /** The peers that may have missing ranges. */
  #helpers(hunt: RangeHunt): SyncPeer[] {
    const now = this.#ports.clock.monotonic();
    return this.#offers.having(hunt.offer).filter((one) => hunt.canHelp(one, now));
  }

  /** Requests a range that is not requested yet, or a late one, from a peer. */
  #startRange(hunt: RangeHunt): boolean {
    const { clock, timing } = this.#ports;
    const now = clock.monotonic();
    const usable = new Set(this.#sources.usable());
    const free = this.#offers.having(hunt.offer).filter((one) => usable.has(one));
    const wanted = hunt.next(free, now, timing.impatienceMillis);
    if (wanted === undefined) return false;
    const { index, from } = wanted;
    const others = this.#sources.list().filter((one) => !from.has(one));
    const source = this.#sources.pick(undefined, false, new Set(others));
    if (source === undefined) return false;
    hunt.began(index, source, now);
    void this.#sources
      .ask(source, () => this.#fetchRange(hunt, source, index))
      .then((isThere) => {
        if (isThere === undefined) hunt.failed(index, source, clock.monotonic());
      })
      .finally(() => {
        hunt.ended(index, source);
        this.#wake();
      });
    return true;
  }

  async #fetchRange(hunt: RangeHunt, source: SyncPeer, index: number): Promise<true | undefined> {
    const { keeper, clock } = this.#ports;
    const { manifestId } = hunt.offer;
    const bytes = await source.stateRange({ manifestId, index });
    if (bytes === undefined) {
      hunt.lacked(index, source, clock.monotonic());
      return undefined;
    }
    if (!hunt.isMissing(index) || keeper.begun?.manifestId !== manifestId) return true;
    const refusal = await this.#put(hunt, index, bytes);
    if (refusal !== null) {
      this.#refusedRanges++;
      throw new PeerFault('invalid', `sent a wrong range: ${refusal}`);
    }
    hunt.proven(index, clock.monotonic());
    this.#provenBytes += bytes.length;
    this.#sources.delivered(source);
    return true;
  }

  /** A failure of this node's disk is no fault of the peer. */
  async #put(hunt: RangeHunt, index: number, bytes: Uint8Array): Promise<string | null> {
    try {
      return await this.#ports.keeper.put(index, bytes);
    } catch (error) {
      hunt.failure = { error };
      return null;
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#ports.clock.after(LOOK_MILLIS, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  #tell(fields: Readonly<Record<string, number>>, message: string): void {
    const now = this.#ports.clock.monotonic();
    if (now < this.#loggedAtMillis + LOG_MILLIS) return;
    this.#loggedAtMillis = now;
    this.#ports.log.info(fields, message);
  }
}

/** A cut signed by its own set; whether that set can be trusted is checked elsewhere. */
async function certifiedCut(
  source: SyncPeer,
  height: number,
  chainId: Uint8Array,
): Promise<CertifiedHeader | undefined> {
  const range = await source.headers(height, 1);
  const header = range?.headers[0];
  if (range === undefined || header === undefined) return undefined;
  const fields = decoded(() => decodeCutHeader(header));
  if (fields.height !== BigInt(height)) throw new PeerFault('invalid', 'sent another header');
  const set = await source.validatorSet(toHex(fields.validatorSetId));
  if (set === undefined) return undefined;
  const { certificate } = range;
  try {
    checkCut(header, certificate, set, chainId);
  } catch (error) {
    if (isRefusal(error)) throw new PeerFault('invalid', `sent a false cut: ${error.message}`);
    throw error;
  }
  return { header, certificate, set };
}

async function shownCheckpoint(
  source: SyncPeer,
  { height, cutId: expected }: Checkpoint,
): Promise<Pick<CertifiedHeader, 'header' | 'set'> | undefined> {
  const range = await source.headers(height, 1);
  const header = range?.headers[0];
  if (header === undefined) return undefined;
  if (toHex(cutId(header)) !== expected) throw new PeerFault('invalid', 'sent another header');
  const set = await source.validatorSet(toHex(decodeCutHeader(header).nextValidatorSetId));
  return set === undefined ? undefined : { header, set };
}

async function manifestOf(
  source: SyncPeer,
  { manifestId }: StateOffer,
): Promise<Uint8Array | undefined> {
  const bytes = await source.stateManifest(manifestId);
  if (bytes !== undefined && toHex(sha384(bytes)) !== manifestId)
    throw new PeerFault('invalid', 'sent another manifest than asked for');
  return bytes;
}
