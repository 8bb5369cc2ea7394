/**
 * What the wallet knows of its node: which chain the node serves, how far it is, whether it answers. The chain of
 * the first node is the wallet's chain for good, and a node of another chain is refused.
 */
import type { SyncDocument } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import type { Client } from 'svc-client';
import { type Network, SvcError } from 'svc-wasm';
import { WalletError } from '../errors.ts';
import { type ChainTerms, type MassModel, massModelOf, termsOf } from '../spend/mass-model.ts';
import type { Meta } from '../state/database.ts';
import { reading } from './node-fault.ts';

/** How old the rules of the chain may be before they are read again. */
const TERMS_AGE_MILLIS_MAX = 600_000;
const SYNC_AGE_MILLIS_MAX = 2_000;

export interface NodeLinkPorts {
  readonly client: Client;
  readonly network: Network;
  readonly meta: Meta;
  readonly clock: Clock;
}

export interface Rules {
  readonly terms: ChainTerms;
  readonly mass: MassModel;
}

export class NodeLink {
  readonly client: Client;
  readonly #ports: NodeLinkPorts;
  #rules: (Rules & { readonly readAtMillis: number }) | undefined;
  #sync: SyncDocument | undefined;
  #syncAtMillis = 0;
  #height = 0;
  #wrongChain: WalletError | undefined;

  constructor(ports: NodeLinkPorts) {
    this.client = ports.client;
    this.#ports = ports;
  }

  /** The highest finalized cut heard of. */
  get height(): number {
    return this.#height;
  }

  /** What the node said last of its progress; undefined while the node cannot be reached. */
  get sync(): SyncDocument | undefined {
    return this.#sync;
  }

  /** Why the chain of the node is not the wallet's, as far as was heard; undefined if it is, or nothing was heard. */
  get wrongChain(): WalletError | undefined {
    return this.#wrongChain;
  }

  /** Records a finalized height; a lower one than before changes nothing. */
  learnHeight(height: number): void {
    this.#height = Math.max(this.#height, height);
  }

  /** Forgets how high the chain was, because another history counts from now on. */
  forgetHeight(): void {
    this.#height = 0;
  }

  /** Forgets all that the node has said, because another one is asked from now on. */
  forgetNode(): void {
    this.forgetHeight();
    this.#sync = undefined;
    this.#rules = undefined;
  }

  /** Asks the node how far it is. A height that has gone back is not believed. */
  async refresh(): Promise<SyncDocument> {
    try {
      const sync = await reading(this.client.nodeSync());
      this.#sync = sync;
      this.#syncAtMillis = this.#ports.clock.now();
      this.learnHeight(sync.finalized_height);
      return sync;
    } catch (error) {
      this.#sync = undefined;
      throw error;
    }
  }

  /** How far the node is. The node is asked again if its last answer is too old. */
  async recentSync(): Promise<SyncDocument> {
    const age = this.#ports.clock.now() - this.#syncAtMillis;
    return this.#sync !== undefined && age < SYNC_AGE_MILLIS_MAX
      ? this.#sync
      : await this.refresh();
  }

  /** Rules of the chain, read again once in a while. */
  async rules(): Promise<Rules> {
    const now = this.#ports.clock.now();
    if (this.#rules !== undefined && now - this.#rules.readAtMillis < TERMS_AGE_MILLIS_MAX) {
      return this.#rules;
    }
    const document = await reading(this.client.transactionsManifest());
    this.#wrongChain = undefined;
    const terms = this.#expectOwnChain(JSON.stringify(document));
    this.#rules = { terms, mass: massModelOf(terms), readAtMillis: now };
    return this.#rules;
  }

  #expectOwnChain(manifest: string): ChainTerms {
    const { meta, network } = this.#ports;
    const terms = readTerms(manifest);
    if (terms.network !== network) {
      throw this.#refuse(`the wallet is for ${network}, the node serves ${terms.network}`);
    }
    const own = meta.get('chain_id');
    if (own === undefined) meta.set('chain_id', terms.chainId);
    else if (own !== terms.chainId) {
      throw this.#refuse(`the wallet belongs to chain ${own}, the node serves ${terms.chainId}`);
    }
    return terms;
  }

  #refuse(message: string): WalletError {
    this.#wrongChain = wrongChain(message);
    return this.#wrongChain;
  }
}

function readTerms(manifest: string): ChainTerms {
  try {
    return termsOf(manifest);
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw wrongChain(`the node's manifest is refused: ${cause.message}`);
  }
}

function wrongChain(message: string): WalletError {
  return new WalletError('wrong_chain', message, { hint: 'name the right node with --service' });
}
