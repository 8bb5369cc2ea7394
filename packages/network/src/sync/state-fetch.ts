/**
 * Gets the state of a cut from several peers, a range at a time each. Whoever keeps it proves each piece; a peer whose
 * piece is refused is not asked again for a while, so that a liar costs one range. It runs once, before a node has a chain.
 */
import { type Clock, type Log, sleep } from 'svc-base/pure';
import { toHex } from 'svc-wasm/base';
import { sha384 } from 'svc-wasm/kernel';
import { cutId, decodeCutHeader } from 'svc-wasm/protocol';
import type { NetworkApplication, StateOffer } from '../application.ts';
import type { Peers } from '../peers/peers.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import type { CertifiedHeader, Checkpoint, StateKeeper } from './state-keeper.ts';
import { StateOffers } from './state-offers.ts';
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

/** Choosing a state waits so long for more peers, unless so many have answered. */
const CHOOSE_MILLIS = 5_000;
const ENOUGH_ANSWERS = 3;
const LOOK_MILLIS = 100;
const RETRY_MILLIS = 2_000;
const LOG_MILLIS = 5_000;
const DOUBT_LOG_MILLIS = 60_000;
/** A state that no peer has had for so long is given up. */
const LOST_MILLIS = 60_000;
/** The most peers that are asked for one range at once. */
const ASKED_MAX = 3;

/** How far the fetching of a state is. */
export interface StateProgress {
  readonly ranges: number;
  readonly rangesLeft: number;
  /** Of ranges that have come and were proven since the start of the process. */
  readonly provenBytes: number;
  /** Ranges of peers that were not what the manifest names. */
  readonly refusedRanges: number;
}

interface Asked {
  readonly of: Set<SyncPeer>;
  sinceMillis: number;
}

/** The ranges of a state that are still to come, and who is asked for which. */
interface Hunt {
  readonly offer: StateOffer;
  /** All of them, with those that are here. */
  readonly ranges: number;
  readonly missing: Set<number>;
  readonly asked: Map<number, Asked>;
  /** What went wrong at this node. */
  failure: { readonly error: unknown } | undefined;
}

export class StateFetch {
  readonly #ports: StateFetchPorts;
  readonly #sources: SyncPeers;
  readonly #offers: StateOffers;
  #wake: () => void = () => {};
  #loggedAtMillis = Number.NEGATIVE_INFINITY;
  #doubtedAtMillis = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #hunt: Hunt | undefined;
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
      rangesLeft: this.#hunt?.missing.size ?? 0,
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
    const { keeper, log } = this.#ports;
    const { checkpoint } = keeper;
    if (checkpoint !== undefined && keeper.begun === undefined) await this.#trust(checkpoint);
    while (!this.#isClosed) {
      const offer = keeper.begun ?? (await this.#choose());
      if (offer === undefined) return undefined;
      if (keeper.begun === undefined && !(await this.#begin(offer))) continue;
      if (await this.#fetchRanges(offer)) return offer.height;
      if (this.#isClosed) return undefined;
      log.warn({ height: offer.height }, 'no peer has this state any more; another is fetched');
      await keeper.abandon();
    }
    return undefined;
  }

  /** Gets what the checkpoint stands for, from any peer: its id is its hash. */
  async #trust(checkpoint: Checkpoint): Promise<void> {
    const { keeper, clock } = this.#ports;
    while (!this.#isClosed) {
      for (const source of this.#sources.usable()) {
        const shown = await this.#sources.ask(source, () => shownCheckpoint(source, checkpoint));
        if (shown === undefined) continue;
        keeper.trust(shown.header, shown.set);
        return;
      }
      this.#tell({ height: checkpoint.height }, 'waiting for a peer that shows the trusted cut');
      await sleep(clock, LOOK_MILLIS);
    }
  }

  async #choose(): Promise<StateOffer | undefined> {
    const { clock, peers } = this.#ports;
    let sinceMillis: number | undefined;
    while (!this.#isClosed) {
      this.#offers.ask();
      const best = this.#offers.best();
      const now = clock.monotonic();
      if (best !== undefined) sinceMillis ??= now;
      const hasWaited = sinceMillis !== undefined && now >= sinceMillis + CHOOSE_MILLIS;
      if (best !== undefined && (hasWaited || this.#offers.answers >= ENOUGH_ANSWERS)) return best;
      this.#tell({ peers: peers.size }, 'waiting for peers that offer a state');
      await sleep(clock, LOOK_MILLIS);
    }
    return undefined;
  }

  /** Proves cut and manifest with one peer after another. */
  async #begin(offer: StateOffer): Promise<boolean> {
    const { keeper, clock } = this.#ports;
    for (const source of this.#offers.having(offer)) {
      const cut = await this.#sources.ask(source, () => certifiedCut(source, offer.height));
      if (cut === undefined) continue;
      const doubt = keeper.refusalOfCut(cut);
      if (doubt !== null) {
        this.#doubt(source, doubt);
        continue;
      }
      const manifest = await this.#sources.ask(source, () => manifestOf(source, offer));
      if (manifest === undefined) continue;
      const refusal = await keeper.begin(cut, manifest);
      if (refusal === null) {
        this.#sources.delivered(source);
        return true;
      }
      this.#refuse(offer, refusal);
      return false;
    }
    await sleep(clock, RETRY_MILLIS);
    return false;
  }

  /** Peers may be honest and the trust too old, so that this is said again and again, but rarely. */
  #doubt(source: SyncPeer, reason: string): void {
    const now = this.#ports.clock.monotonic();
    if (now < this.#doubtedAtMillis + DOUBT_LOG_MILLIS) return;
    this.#doubtedAtMillis = now;
    const fields = { peer: source.peer.id, reason };
    this.#ports.log.warn(fields, 'a cut does not follow from the trusted');
  }

  /** A manifest that is wrong is so whoever offers it: its name is its hash. */
  #refuse(offer: StateOffer, refusal: string): void {
    this.#ports.log.warn({ reason: refusal }, 'the manifest of a state is refused');
    for (const { peer } of this.#offers.having(offer))
      peer.reject(new PeerFault('invalid', `offers a state that is refused: ${refusal}`));
    this.#offers.refuse(offer);
  }

  /** Resolves with false if it was closed, or if no peer has the state any more. */
  async #fetchRanges(offer: StateOffer): Promise<boolean> {
    const { keeper, clock, log } = this.#ports;
    const missing = new Set(await keeper.missing());
    const { ranges } = keeper;
    const hunt: Hunt = { offer, ranges, missing, asked: new Map(), failure: undefined };
    this.#hunt = hunt;
    const { height } = offer;
    const left = missing.size;
    log.info({ height, ranges, left }, 'fetching a state');
    let seenAtMillis = clock.monotonic();
    while (missing.size > 0) {
      if (this.#isClosed) return false;
      this.#offers.ask();
      while (this.#startRange(hunt));
      const now = clock.monotonic();
      const peers = this.#offers.having(offer).length;
      if (hunt.asked.size > 0 || peers > 0) seenAtMillis = now;
      if (now > seenAtMillis + LOST_MILLIS) return false;
      this.#tell({ height, ranges, left: missing.size, peers }, 'fetching a state');
      await this.#pause();
      if (hunt.failure !== undefined) throw hunt.failure.error;
    }
    return true;
  }

  /** Asks a peer for a range that nobody is asked for, or for one that is late. */
  #startRange(hunt: Hunt): boolean {
    const { clock, timing } = this.#ports;
    const { offer, missing, asked } = hunt;
    const now = clock.monotonic();
    const isLate = (index: number): boolean => {
      const { of, sinceMillis } = asked.get(index) as Asked;
      return of.size < ASKED_MAX && sinceMillis + timing.impatienceMillis <= now;
    };
    const index = missing.values().find((one) => !asked.has(one)) ?? missing.values().find(isLate);
    if (index === undefined) return false;
    const inCharge = asked.get(index) ?? { of: new Set<SyncPeer>(), sinceMillis: now };
    const having = new Set(this.#offers.having(offer));
    const others = this.#sources.list().filter((one) => !having.has(one) || inCharge.of.has(one));
    const source = this.#sources.pick(offer.height, false, new Set(others));
    if (source === undefined) return false;
    inCharge.of.add(source);
    inCharge.sinceMillis = now;
    asked.set(index, inCharge);
    void this.#sources
      .ask(source, () => this.#fetchRange(hunt, source, index))
      .finally(() => {
        inCharge.of.delete(source);
        if (inCharge.of.size === 0) asked.delete(index);
        this.#wake();
      });
    return true;
  }

  async #fetchRange(hunt: Hunt, source: SyncPeer, index: number): Promise<true | undefined> {
    const bytes = await source.stateRange({ manifestId: hunt.offer.manifestId, index });
    if (bytes === undefined) {
      this.#offers.withdraw(source);
      return undefined;
    }
    if (!hunt.missing.has(index)) return true;
    const refusal = await this.#put(hunt, index, bytes);
    if (refusal !== null) {
      this.#refusedRanges++;
      throw new PeerFault('invalid', `sent a wrong range: ${refusal}`);
    }
    hunt.missing.delete(index);
    this.#provenBytes += bytes.length;
    this.#sources.delivered(source);
    return true;
  }

  /** A failure of this node's disk is no fault of the peer. */
  async #put(hunt: Hunt, index: number, bytes: Uint8Array): Promise<string | null> {
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

async function certifiedCut(
  source: SyncPeer,
  height: number,
): Promise<CertifiedHeader | undefined> {
  const range = await source.headers(height, 1);
  const header = range?.headers[0];
  if (range === undefined || header === undefined) return undefined;
  const fields = decoded(() => decodeCutHeader(header));
  if (fields.height !== BigInt(height)) throw new PeerFault('invalid', 'sent another header');
  const set = await source.validatorSet(toHex(fields.validatorSetId));
  return set === undefined ? undefined : { header, certificate: range.certificate, set };
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
