/**
 * Watches whether the network has gone on under rules that this release does not know. If it has, the node stays
 * where it is until it is updated: it goes on serving what it has, and takes, gives and signs nothing new.
 */
import type { Log } from 'svc-base/pure';
import type { PeerNetwork } from '../network/peer-network.ts';
import { NO_UPDATES, type Updates } from './self-report.ts';

export interface RulesWatchPorts {
  readonly peers: Pick<PeerNetwork, 'updates' | 'stopped'> | undefined;
  /** The validators of the node; more may be added while it starts. */
  readonly seats: readonly { readonly driver: { pause(): void } }[];
  readonly log: Log;
}

export class RulesWatch {
  readonly #ports: RulesWatchPorts;
  #isRequired = false;

  constructor(ports: RulesWatchPorts) {
    this.#ports = ports;
    ports.peers?.stopped.on(({ reason }) => {
      if (reason === 'update_required') this.#stop();
    });
  }

  get updates(): Updates {
    const { required, announced } = this.#ports.peers?.updates ?? NO_UPDATES;
    return { required: required || this.#isRequired, announced };
  }

  /** The other validators have decided a cut that this release cannot judge. */
  readonly decidedElsewhere = (height: number): void => {
    if (this.updates.required) return;
    this.#ports.log.error(
      { height },
      'update_required: the network follows rules this release does not know',
    );
    this.#stop();
  };

  #stop(): void {
    this.#isRequired = true;
    for (const { driver } of this.#ports.seats) driver.pause();
  }
}
