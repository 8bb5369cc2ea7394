/**
 * The parameters of a call. The contract's schema judges their form; amounts, addresses and cursors are judged by
 * functions that the methods call, because a schema cannot.
 */
import { METHODS, type MethodName, type MethodParams, type RpcErrorKind } from 'svc-api/rpc';
import { formatAmount, parseAmount, SvcError } from 'svc-wasm';
import { addressType, decodeAddress } from 'svc-wasm/base';
import { Compile, type Validator } from 'typebox/compile';
import { WalletError } from '../base/wallet-error.ts';
import type { OwnAddress } from '../state/addresses.ts';
import type { WalletPorts } from './method.ts';

const validators = new Map<MethodName, Validator>();

/** Reservations the parameters of a call against the contract and says what is wrong with the first that fails. */
export function checkParams<N extends MethodName>(
  name: N,
  params: unknown,
): asserts params is MethodParams<N> {
  let validator = validators.get(name);
  if (validator === undefined) {
    validator = Compile(METHODS[name].params);
    validators.set(name, validator);
  }
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

export function coinsOf(atoms: bigint): string {
  return formatAmount(String(atoms));
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
