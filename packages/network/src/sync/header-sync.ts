/**
 * Gets proven headers: one range at a time from one peer, the next from whoever is best then. At the tip the
 * whole cut comes in one answer. The sets that sign come from the node where it knows them, else from peers,
 * by the id that a proven header names.
 */

import type { Clock } from 'svc-base/pure';
import { HEADERS_PER_REQUEST_MAX } from 'svc-finality';
import { decodeValidatorSet, type ValidatorSet } from 'svc-wasm/protocol';
import type { NetworkApplication } from '../application.ts';
import type { CutSlots } from './cut-slots.ts';
import { bodyOf, type SyncPeer } from './sync-peer.ts';
import type { SyncPeers } from './sync-peers.ts';
import type { VerifiedHeader, VerifiedHeaders } from './verified-headers.ts';

export interface HeaderSyncOptions {
  readonly application: NetworkApplication;
  readonly headers: VerifiedHeaders;
  readonly slots: CutSlots;
  readonly sources: SyncPeers;
  readonly clock: Clock;
  /** How long a single new cut may be on its way by other means: validators decide themselves. */
  readonly followDelayMillis: number;
  readonly onChange: () => void;
}

const HEADERS_AHEAD_MAX = 8_192;

export class HeaderSync {
  readonly #options: HeaderSyncOptions;
  #isBusy = false;
  #knownSet: { readonly id: string; readonly set: ValidatorSet } | undefined;
  /** The id of a set that no peer had; the node knows it once the cuts before it are executed. */
  #missingSetId: string | undefined;
  #next = { height: 0, sinceMillis: 0 };

  constructor(options: HeaderSyncOptions) {
    this.#options = options;
  }

  /** Starts a request if one is due. */
  turn(): void {
    const { headers, sources } = this.#options;
    const height = headers.height + 1;
    if (this.#isBusy || headers.count >= HEADERS_AHEAD_MAX || !this.#isDue(height)) return;
    if (this.#missingSetId === headers.nextSetId && !this.#isExecuted()) return;
    const source = sources.pick(height, false);
    if (source === undefined) return;
    this.#isBusy = true;
    void sources
      .ask(source, () => this.#fetch(source, height))
      .finally(() => {
        this.#isBusy = false;
        this.#options.onChange();
      });
  }

  #isDue(height: number): boolean {
    const { sources, application, clock, followDelayMillis } = this.#options;
    const claimed = sources.claimedHeight;
    if (claimed < height) return false;
    if (claimed > application.tip.height + 1) return true;
    if (this.#next.height !== height) this.#next = { height, sinceMillis: clock.now() };
    return clock.now() - this.#next.sinceMillis >= followDelayMillis;
  }

  #isExecuted(): boolean {
    return this.#options.application.tip.height === this.#options.headers.height;
  }

  async #fetch(source: SyncPeer, height: number): Promise<true | undefined> {
    const { headers, slots } = this.#options;
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
    headers.add(range, set);
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
