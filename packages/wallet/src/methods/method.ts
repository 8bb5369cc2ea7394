/**
 * What a method of the wallet is: a handler that answers the contract's result to checked parameters. A method that
 * pays is made of two steps instead, because what it pays outlives the call: `read` turns the parameters into those that
 * the journal keeps, and `make` makes transactions from what the journal has kept, now or after a restart.
 */

import { randomUUID } from 'node:crypto';
import { validatorOf } from 'svc-api/check';
import {
  METHODS,
  type MethodName,
  type MethodParams,
  type MethodResult,
  type PayingMethodName,
  type RpcErrorKind,
} from 'svc-api/rpc';
import type { Clock, Log } from 'svc-base/pure';
import { type Network, parseAmount, SvcError } from 'svc-wasm';
import { addressType, decodeAddress } from 'svc-wasm/base';
import { WalletError } from '../errors.ts';
import type { Caller } from '../journal/limits.ts';
import type { Outgoing } from '../journal/outgoing.ts';
import type { Made, Make } from '../journal/record.ts';
import type { Mismatches } from '../journal/settle.ts';
import type { Keychain } from '../keys/keychain.ts';
import type { NodeLink } from '../node/node-link.ts';
import type { History } from '../scan/history.ts';
import type { Incoming } from '../scan/incoming.ts';
import type { Scanner } from '../scan/scanner.ts';
import type { SharedPayments } from '../shared/shared-payments.ts';
import type { Float } from '../spend/float.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import type { OwnAddress } from '../state/addresses.ts';
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

interface PayingMethod<N extends PayingMethodName> {
  readonly handle: Handler<N>;
  readonly maker: Maker;
}

/** What every method that pays takes. A method whose `request_id` is optional gets a random one. */
interface PayingFields {
  readonly request_id?: string;
  readonly dry_run?: boolean;
}

interface PayingSteps<N extends PayingMethodName, Kept extends object> {
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

/** Checks the parameters of a call against the contract. The error names the first that does not fit. */
export function checkParams<N extends MethodName>(
  name: N,
  params: unknown,
): asserts params is MethodParams<N> {
  const validator = validatorOf(METHODS[name].params);
  if (validator.Check(params)) return;
  const faults = validator.Errors(params);
  const fault = faults.find(({ keyword }) => keyword === 'additionalProperties') ?? faults[0];
  if (fault === undefined) throw refused('the parameters are refused');
  const base = pathOf(fault.instancePath);
  if (fault.keyword === 'additionalProperties') {
    const [field] = fault.params.additionalProperties;
    throw refused('there is no such parameter', join(base, field ?? ''));
  }
  if (fault.keyword === 'required') {
    const [field] = fault.params.requiredProperties;
    throw refused('the parameter is required', join(base, field ?? ''));
  }
  throw refused(expectationOf(name, fault.message, base), base);
}

/** `/recipients/0/to` as `recipients[0].to`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .reduce((path, part) => (/^[0-9]+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/**
 * The words for a wrong parameter: the description in the contract says more than the pattern that was not met.
 */
function expectationOf(name: MethodName, message: string, path: string): string {
  const properties = METHODS[name].params.properties as Record<string, { description?: string }>;
  const description = properties[path]?.description;
  return description === undefined ? message : `${message}; expected: ${description}`;
}

function refused(message: string, path?: string): WalletError {
  return new WalletError('invalid_params', message, path === undefined ? {} : { path });
}

/** Calls a check of the protocol module, and throws its refusal as one of the call's parameter at `path`. */
export function asParameter<T>(kind: RpcErrorKind, path: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    const message =
      cause.path === undefined ? cause.message : cause.message.slice(cause.path.length + 2);
    throw new WalletError(kind, message, { path, cause });
  }
}

/** Coins above zero as decimal atoms. */
export function atomsOf(coins: string, path: string): string {
  const atoms = asParameter('invalid_amount', path, () => parseAmount(coins));
  if (atoms !== '0') return atoms;
  throw new WalletError('invalid_amount', 'expected more than zero', { path });
}

/** The most that a transaction may pay, in atoms, from the option `--max-fee`; undefined if it was not given. */
export function feeMaxOf(coins: string | undefined): bigint | undefined {
  if (coins === undefined) return undefined;
  return BigInt(asParameter('invalid_amount', 'max_fee', () => parseAmount(coins)));
}

/** The address in its one form, of the wallet's network. */
export function addressOf(wallet: WalletPorts, address: string, path: string): string {
  addressBytes(wallet, address, path);
  return address.toLowerCase();
}

function addressBytes({ network }: WalletPorts, text: string, path: string): Uint8Array {
  return asParameter('invalid_address', path, () => decodeAddress(text, network));
}

/** An address that may be paid: no burn, which has a method of its own, and no change address. */
export function payeeOf(wallet: WalletPorts, text: string, path: string): string {
  const type = addressType(addressBytes(wallet, text, path));
  const address = text.toLowerCase();
  if (type === 'burn') {
    const message = 'the burn address destroys what is paid to it';
    throw new WalletError('burn_address', message, { path, hint: 'use the method burn' });
  }
  const isOwn = wallet.keychain.mayOwn(address);
  if (isOwn && wallet.state.addresses.find(address)?.branch === 1) {
    const message = "the address is the wallet's own, for change";
    throw new WalletError('change_address', message, {
      path,
      hint: 'use an address of new_address',
    });
  }
  return address;
}

export function ownAddressOf(wallet: WalletPorts, text: string, path: string): OwnAddress {
  const own = wallet.state.addresses.find(addressOf(wallet, text, path));
  if (own !== undefined) return own;
  throw new WalletError('unknown_address', 'the address does not belong to this wallet', { path });
}

/** Optional fields of a call, without those that were left out. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
