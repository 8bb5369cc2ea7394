/**
 * What a development network in a test offers. Types alone, so that those who use it need nothing of a node.
 */
import type { Account, AnswerOf, Client } from 'svc-client';

/** How a network is made; every field has a default that suits tests. */
export interface DevnetOptions {
  /** One unless given. */
  readonly validators?: number;
  /** Milliseconds between cuts, or `auto` for as fast as possible; cuts are made on demand alone unless given. */
  readonly cutTime?: number | 'auto' | 'manual';
  /** The port of the HTTP API; a free one unless given. */
  readonly port?: number;
  /** Where the network is kept, also when it ends; it lives in memory unless given. */
  readonly stateDir?: string;
  /**
   * What `dump` of another network gave, or a file with it: the network continues from there, with its validators.
   * Only for networks in memory, and for the release that made it.
   */
  readonly load?: Uint8Array | string;
  /** Pages that may call the API. */
  readonly browserOrigins?: readonly string[];
  /** Called when the network fails by itself; the error is thrown in the process unless given. */
  readonly onFatal?: (error: unknown) => void;
}

/** Makes things go wrong on purpose. */
export interface DevnetFaults {
  /** The ids of the validators, in the order of their keys. */
  validators(): readonly string[];
  /** Forgets a transaction that waits. Answers whether it did wait. */
  dropTransaction(id: string): boolean;
  /** Stops the committee from deciding cuts, or lets it continue. */
  pauseFinality(on: boolean): void;
  /** Makes every socket lose events as if it read too slowly, or lets them continue. */
  lagEvents(on: boolean): void;
  closeSockets(): void;
  /** Makes the validator at a place sign two votes for one position; it loses its bond. */
  equivocate(place: number): void;
  /** Keeps the validator at a place away for so many cuts. */
  missCuts(place: number, cuts: number): void;
}

/** A running network of its own, and the control of it. */
export interface Devnet extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. It stays the same over snapshots and reverts. */
  readonly url: string;
  readonly network: 'development';
  readonly chainId: string;
  /** The recovery phrase of the accounts, which is public. */
  readonly words: string;
  /** Ten accounts that own coins. The ninth pays what `fund` gives, the tenth is paid for work. */
  readonly accounts: readonly [Account, Account, Account, ...Account[]];
  readonly client: Client;
  readonly faults: DevnetFaults;
  /** The height of the last final cut. */
  readonly height: number;
  /** The time of the network in Unix milliseconds: give it to whatever checks trust, as `now`. */
  readonly now: () => number;
  /**
   * Makes so many cuts, after everything that was submitted before is in a block. Three cuts make a payment final.
   * Resolves with the height.
   */
  mine(cuts?: number): Promise<number>;
  /** Makes cuts until a transaction is final, and resolves with its status. Throws a `ClientError` if it failed. */
  mineUntilFinal(transactionId: string): Promise<AnswerOf<'transactionStatus'>>;
  /** Gives an address atoms of the ninth account, final when it resolves. Resolves with the transaction id. */
  fund(address: string, amount: bigint): Promise<string>;
  /**
   * Goes to the first cut of a later epoch, with every cut up to it and blocks only for pending transactions; or lets
   * milliseconds pass without any cut, as on a stalled network, and makes one. Resolves with the height.
   */
  advance(wish: { readonly epochs: number } | { readonly millis: number }): Promise<number>;
  /**
   * Keeps the state under a name, which it resolves with: chain, mempool and time. A network in a directory restarts its
   * node for it.
   */
  snapshot(): Promise<string>;
  /**
   * Brings the state of a snapshot back, as often as you like. The node restarts; sockets are closed and heal. Resolves
   * with the height.
   */
  revert(name: string): Promise<number>;
  /**
   * The chain, the mempool and the time as bytes, for `createDevnet({ load })` in this process or another. Only for networks
   * in memory.
   */
  dump(): Promise<Uint8Array>;
  /** Ends the network and removes what it kept, unless a directory was given. */
  close(): Promise<void>;
}
