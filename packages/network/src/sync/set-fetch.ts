/**
 * Fetches validator sets of epochs before a node's first cut, when the evidence of a final cut is about them. A set
 * is requested by its id, which is a hash of it, so that no peer can send another one.
 */
import { type Clock, type Log, sleep } from 'svc-base/pure';
import { toHex } from 'svc-wasm/base';
import { decodeCutBody, type ValidatorSet } from 'svc-wasm/protocol';
import type { CutToInstall, NetworkApplication } from '../application.ts';
import type { SyncPeer } from './sync-peer.ts';
import type { SyncPeers } from './sync-peers.ts';

export interface SetFetchPorts {
  readonly application: Pick<NetworkApplication, 'learnValidatorSet'>;
  readonly sources: SyncPeers;
  readonly clock: Clock;
  readonly log: Log;
}

/** After this time all peers are asked again. */
const RETRY_MILLIS = 1_000;

export class SetFetch {
  readonly #ports: SetFetchPorts;

  constructor(ports: SetFetchPorts) {
    this.#ports = ports;
  }

  /** Resolves when the node has the sets, or after a pause if no peer has them. */
  async fetchFor({ body, height }: CutToInstall): Promise<void> {
    const { application, clock, log } = this.#ports;
    const named = decodeCutBody(body).evidence.map(({ first }) => toHex(first.validatorSetId));
    for (const setId of new Set(named)) {
      const set = await this.#fetch(setId, height);
      if (set !== undefined) {
        application.learnValidatorSet(set.encoded);
        continue;
      }
      log.warn({ height, setId }, 'no peer has the validator set that the evidence of a cut names');
      await sleep(clock, RETRY_MILLIS);
    }
  }

  async #fetch(setId: string, height: number): Promise<ValidatorSet | undefined> {
    const { sources } = this.#ports;
    const asked = new Set<SyncPeer>();
    for (;;) {
      const source = sources.pick(height, false, asked);
      if (source === undefined) return undefined;
      asked.add(source);
      // A peer that began from a snapshot itself need not have the set.
      const set = await sources.ask(source, async () => (await source.validatorSet(setId)) ?? null);
      if (set !== undefined && set !== null) return set;
    }
  }
}
