/**
 * The peers of a node that is being repaired: they are asked for what it has lost. It does not listen, and has nothing
 * to give.
 */
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { Network, type PastFetch } from 'svc-network';
import type { ChainSource } from 'svc-storage';
import { hostOptions } from '../../compose/peers.ts';
import { EmptyApplication } from '../../network/empty-application.ts';
import { VERSION } from '../../version.ts';
import { genesisSet } from '../run/begin-with-state.ts';
import type { ChainPlace } from './open-store.ts';

interface Connected {
  readonly network: Network;
  readonly past: PastFetch;
}

/** Connects on first use. */
export class RepairPeers {
  readonly #place: ChainPlace;
  #connecting: Promise<Connected> | undefined;

  constructor(place: ChainPlace) {
    this.#place = place;
  }

  async source(): Promise<ChainSource> {
    this.#connecting ??= this.#connect();
    return (await this.#connecting).past;
  }

  async close(): Promise<void> {
    const connected = await this.#connecting;
    connected?.past.close();
    await connected?.network.close();
  }

  async #connect(): Promise<Connected> {
    const { config, manifest, genesis } = this.#place;
    const set = await genesisSet(this.#place);
    const network = await Network.create(
      {
        ...hostOptions(config, VERSION),
        listenHosts: [],
        follows: false,
        clock: SYSTEM_CLOCK,
        log: SILENT_LOG,
      },
      new EmptyApplication(manifest, set, genesis.timeMillis),
    );
    const past = network.pastFetch();
    await network.start();
    return { network, past };
  }
}
