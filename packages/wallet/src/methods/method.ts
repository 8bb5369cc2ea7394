/**
 * What a method of the wallet is: a handler that answers the contract's result to checked parameters. A method that
 * pays is made of two steps instead, because what it pays outlives the call: `read` turns the parameters into those that
 * the journal keeps, and `make` makes transactions from what the journal has kept, now or after a restart.
 */
import { randomUUID } from 'node:crypto';
import type { MethodName, MethodParams, MethodResult, PayingMethodName } from 'svc-api/rpc';
import type { Clock, Log } from 'svc-base/pure';
import type { Network } from 'svc-wasm';
import type { Caller } from '../journal/limits.ts';
import type { Mismatches } from '../journal/mismatches.ts';
import type { Outgoing } from '../journal/outgoing.ts';
import type { Made, Make } from '../journal/record.ts';
import type { Keychain } from '../keys/keychain.ts';
import type { NodeLink } from '../node/node-link.ts';
import type { History } from '../scan/history.ts';
import type { Incoming } from '../scan/incoming.ts';
import type { Scanner } from '../scan/scanner.ts';
import type { SharedPayments } from '../shared/shared-payments.ts';
import type { Float } from '../spend/float.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import type { State } from '../state/open-state.ts';

/** What methods may use of an open wallet. */
export interface WalletPorts {
  readonly state: State;
  readonly network: Network;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: NodeLink;
  readonly keychain: Keychain;
  readonly history: History;
  readonly scanner: Scanner;
  readonly outgoing: Outgoing;
  readonly mismatches: Mismatches;
  readonly incoming: Incoming;
  readonly sharedPayments: SharedPayments;
  readonly confirmations: number;
  readonly autoCompound: number | null;
  readonly autoSweepTo: string | null;
  /** The coins that are kept ready for payments. */
  readonly float: Float | null;
  readonly uptimeSeconds: number;
  /** Addresses looked at beyond the last one used. */
  readonly gap: number;
  chainId(): Promise<string>;
  /** Refuses what needs the whole past of the wallet while that is being read. */
  expectHistoryRead(): void;
  rescan(gap: number | undefined, acceptHistory?: string): void;
}

/** A connection that events can be sent to; its subscriptions end with it. */
export interface Connection {
  subscribe(params: MethodParams<'subscribe'>): MethodResult<'subscribe'>;
  unsubscribe(params: MethodParams<'unsubscribe'>): MethodResult<'unsubscribe'>;
}

/** Who calls, and over what. */
export interface CallOrigin {
  readonly caller: Caller;
  /** Null where a call comes alone, as one over HTTP does. */
  readonly connection: Connection | null;
}

/** A command that has the wallet open itself. */
export const COMMAND_LINE: CallOrigin = {
  caller: { name: 'command-line', limits: null },
  connection: null,
};

export type Handler<N extends MethodName> = (
  wallet: WalletPorts,
  params: MethodParams<N>,
  origin: CallOrigin,
) => MethodResult<N> | Promise<MethodResult<N>>;

/** Makes the transactions of a request from the parameters that the journal keeps of it. */
export type Maker = (kept: unknown) => Make;

export interface PayingMethod<N extends PayingMethodName> {
  readonly handle: Handler<N>;
  readonly maker: Maker;
}

/** What every method that pays takes. A method whose `request_id` is optional gets a random one. */
interface PayingFields {
  readonly request_id?: string;
  readonly dry_run?: boolean;
}

export interface PayingSteps<N extends PayingMethodName, Kept extends object> {
  /** Parameters as the journal keeps them: amounts in atoms, addresses in their one form. */
  read(wallet: WalletPorts, params: Omit<MethodParams<N>, keyof PayingFields>): Kept;
  make(builder: PaymentBuilder, kept: Kept): Promise<Made>;
}

export function payingMethod<N extends PayingMethodName, Kept extends object>(
  method: N,
  { read, make }: PayingSteps<N, Kept>,
): PayingMethod<N> {
  return {
    handle: async (wallet, params, { caller }) => {
      const { request_id, dry_run, ...own } = params as MethodParams<N> & PayingFields;
      const request = {
        requestId: request_id ?? `${method}:${randomUUID()}`,
        method,
        params: read(wallet, own),
        isAutomatic: false,
        caller,
      };
      const reply =
        dry_run === true
          ? await wallet.outgoing.preview(request)
          : await wallet.outgoing.perform(request);
      return reply as unknown as MethodResult<N>;
    },
    // The journal holds what `read` of the same method answered, so that its type is known.
    maker: (kept) => (builder) => make(builder, kept as Kept),
  };
}
