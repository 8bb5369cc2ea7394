/**
 * Fetches proven headers, one range after another. A range is requested from one peer first, and from one more each
 * time a timeout ends, so that silent peers delay nothing; the first valid answer is taken. At the tip the whole cut
 * comes in one answer, or several cuts with one certificate where the operator prefers fewer bytes to the newest cut.
 * The signing sets come from the node where it knows them, else from peers, by the id that a proven header names.
 */

import type { Clock } from 'svc-base/pure';
import { HEADERS_PER_REQUEST_MAX } from 'svc-consensus/machine';
import { decodeValidatorSet, type ValidatorSet } from 'svc-wasm/protocol';
import type { NetworkApplication } from '../application.ts';
import type { CutSlots } from './cut-slots.ts';
import { bodyOf, type SyncPeer } from './sync-peer.ts';
import type { SyncPeers } from './sync-peers.ts';
import type { VerifiedHeader, VerifiedHeaders } from './verified-headers.ts';

/** How many cuts a node that follows lets pass before it fetches them with one certificate. */
export interface CertificateSpacing {
  /** 1 for every cut as it comes. */
  readonly cuts: number;
  /** Fewer cuts are fetched once the first of them has waited for so long: the network may have slowed down. */
  readonly waitMillisMax: number;
}

export interface HeaderSyncOptions {
  readonly application: NetworkApplication;
  readonly headers: VerifiedHeaders;
  readonly slots: CutSlots;
  readonly sources: SyncPeers;
  readonly clock: Clock;
  /** How long a single new cut may be on its way by other means: validators decide themselves. */
  readonly followDelayMillis: number;
  readonly spacing: CertificateSpacing;
  /** After this time without an answer one more peer is asked. */
  readonly hedgeMillis: number;
  readonly onChange: () => void;
}

const HEADERS_AHEAD_MAX = 8_192;
/** The most peers that are asked for the same headers at once. */
const ASKED_MAX = 16;

/** The requests under way for the headers from one height on. */
interface Hunt {
  readonly height: number;
  readonly asked: Set<SyncPeer>;
  lastAskedMillis: number;
}

export class HeaderSync {
  readonly #options: HeaderSyncOptions;
  #hunt: Hunt = { height: 0, asked: new Set(), lastAskedMillis: 0 };
  #knownSet: { readonly id: string; readonly set: ValidatorSet } | undefined;
  /** The id of a set that no peer had; the node knows it once the cuts before it are executed. */
  #missingSetId: string | undefined;
  #next = { height: 0, sinceMillis: 0 };

  constructor(options: HeaderSyncOptions) {
    this.#options = options;
  }

  /** Starts a request if one is due. */
  turn(): void {
    const { headers, sources, clock, hedgeMillis } = this.#options;
    const height = headers.height + 1;
    if (headers.count >= HEADERS_AHEAD_MAX || !this.#isDue(height)) return;
    if (this.#missingSetId === headers.nextSetId && !this.#isExecuted()) return;
    if (this.#hunt.height !== height) this.#hunt = { height, asked: new Set(), lastAskedMillis: 0 };
    const hunt = this.#hunt;
    const now = clock.monotonic();
    const isImpatient = now >= hunt.lastAskedMillis + hedgeMillis;
    if (hunt.asked.size > 0 && (!isImpatient || hunt.asked.size >= ASKED_MAX)) return;
    const source = sources.pick(height, false, hunt.asked);
    if (source === undefined) return;
    hunt.asked.add(source);
    hunt.lastAskedMillis = now;
    void sources
      .ask(source, () => this.#fetch(source, height))
      .finally(() => {
        hunt.asked.delete(source);
        this.#options.onChange();
      });
  }

  #isDue(height: number): boolean {
    const { sources, application, clock, followDelayMillis, spacing } = this.#options;
    const claimed = sources.askableHeight;
    if (claimed < height) return false;
    const enough = application.tip.height + spacing.cuts;
    if (claimed > enough) return true;
    const now = clock.monotonic();
    if (this.#next.height !== height) this.#next = { height, sinceMillis: now };
    const waited = now - this.#next.sinceMillis;
    return waited >= (claimed === enough ? followDelayMillis : spacing.waitMillisMax);
  }

  #isExecuted(): boolean {
    return this.#options.application.tip.height === this.#options.headers.height;
  }

  async #fetch(source: SyncPeer, height: number): Promise<true | undefined> {
    const { headers, slots, sources } = this.#options;
    const setId = headers.nextSetId;
    const set = await this.#setOf(setId, source);
    if (set === undefined) {
      this.#missingSetId = setId;
      return true;
    }
    const isNext = source.peer.claimedHeight === height;
    const cut = isNext ? await source.cut(height) : undefined;
    const range =
      cut === undefined
        ? await source.headers(height, HEADERS_PER_REQUEST_MAX)
        : { headers: [cut.header], certificate: cut.certificate };
    if (range === undefined) return undefined;
    if (headers.height + 1 !== height) return true;
    if (!headers.add(range, set)) return undefined;
    sources.delivered(source);
    if (cut !== undefined) {
      const header = headers.at(height) as VerifiedHeader;
      slots.setBody(header, bodyOf(header, cut.body));
    }
    return true;
  }

  async #setOf(setId: string, source: SyncPeer): Promise<ValidatorSet | undefined> {
    if (this.#knownSet?.id === setId) return this.#knownSet.set;
    const { application } = this.#options;
    const next = application.nextValidatorSet();
    const encoded = next.id === setId ? next.encoded : await application.validatorSet(setId);
    const set =
      encoded === undefined ? await source.validatorSet(setId) : decodeValidatorSet(encoded);
    if (set !== undefined) this.#knownSet = { id: setId, set };
    return set;
  }
}
