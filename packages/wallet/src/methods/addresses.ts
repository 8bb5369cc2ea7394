/**
 * The group `addresses`: giving out addresses to be paid at, and finding them again.
 */
import { PAGE_DEFAULT } from 'svc-api/rpc';
import {
  type AddressDocument,
  addressVerificationWords,
  formatPaymentUri,
  parseAddress,
  SvcError,
} from 'svc-wasm';
import { coinsOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import { WATCHED_MAX } from '../file/watch-file.ts';
import type { OwnAddress } from '../state/addresses.ts';
import { isSeekingUsed } from '../state/readings.ts';
import { asParameter, atomsOf, type Handler, ownAddressOf, type WalletPorts } from './method.ts';

export const newAddress: Handler<'new_address'> = (
  wallet,
  { label = null, request_id },
  { caller },
) => {
  wallet.expectHistoryRead();
  const { addresses } = wallet.state;
  const before = request_id === undefined ? undefined : addresses.findRequest(request_id);
  if (before === undefined) expectHeadReached(wallet);
  const given =
    before === undefined
      ? wallet.keychain.issue(0, label, request_id)
      : addresses.get(before.addressId);
  const isMismatch = before !== undefined && before.label !== label;
  if (isMismatch && request_id !== undefined)
    wallet.mismatches.tell({ method: 'new_address', requestId: request_id, caller });
  const warning = before === undefined ? warningOf(wallet) : undefined;
  return {
    address: given.address,
    index: given.position,
    label: given.label,
    words: addressVerificationWords(given.address),
    uri: formatPaymentUri(JSON.stringify({ network: wallet.network, address: given.address })),
    ...(request_id === undefined ? {} : { duplicate: before !== undefined }),
    ...(isMismatch ? { mismatch: true } : {}),
    ...(warning === undefined ? {} : { warning }),
  };
};

/**
 * Throws until the chain was read up to its head since the start: an old state that was put back does not know before then
 * which addresses it gave out later, and would give them to another customer. So does a wallet that looks for used addresses
 * beyond those that it knows.
 */
function expectHeadReached({ keychain, scanner, state }: WalletPorts): void {
  if (keychain.isFixed) return;
  if (isSeekingUsed(state.meta)) {
    const message = 'the wallet looks for addresses that were used, beyond those that it knew';
    throw new WalletError('rescanning', message, {
      hint: '`rescan` of status tells how far it is',
    });
  }
  if (scanner.hasReachedHead) return;
  const message = 'the wallet has not read up to the head of the chain since it was started';
  throw new WalletError('rescanning', message, {
    hint: 'repeat it once status shows the phase following, with a node that is synced',
  });
}

/** Also logged: who asks for addresses is mostly a program that reads no warnings. */
function warningOf({ gap, keychain, log, state }: WalletPorts): string | undefined {
  if (keychain.isFixed) return undefined;
  const unpaid = state.addresses.unpaid(0);
  const warning = gapWarning(unpaid, gap);
  if (warning !== undefined) log.warn({ unpaid_addresses: unpaid, gap }, warning);
  return warning;
}

/** Shows the same address until it is paid, so that asking twice uses up no address. */
export const receive: Handler<'receive'> = (wallet, params) => {
  wallet.expectHistoryRead();
  expectHeadReached(wallet);
  if (params.amount !== undefined) atomsOf(params.amount, 'amount');
  const { address, label, position } = unpaidAddress(wallet);
  const request = { network: wallet.network, address, ...params };
  const uri = asParameter('invalid_params', 'message', () =>
    formatPaymentUri(JSON.stringify(request)),
  );
  return { address, index: position, label, words: addressVerificationWords(address), uri };
};

function unpaidAddress({ keychain, state }: WalletPorts): OwnAddress {
  if (keychain.policy !== null) return keychain.first();
  if (keychain.isFixed) {
    const unpaid = state.addresses.listGiven(0, WATCHED_MAX).find((own) => own.usedHeight === null);
    return unpaid ?? keychain.issue(0, null);
  }
  const last = state.addresses.next(0) - 1;
  const newest = last < 0 ? undefined : state.addresses.at(0, last);
  const isUnpaid = newest !== undefined && newest.usedHeight === null && newest.label === null;
  return isUnpaid ? newest : keychain.issue(0, null);
}

export const addresses: Handler<'addresses'> = (
  { state },
  { label, cursor, limit = PAGE_DEFAULT },
) => {
  const after = Number(cursor ?? 0);
  const found =
    label === undefined
      ? state.addresses.listGiven(after, limit + 1)
      : state.addresses.listLabelled(label, after, limit + 1);
  const page = found.slice(0, limit);
  return {
    addresses: page.map((own) => ({
      address: own.address,
      index: own.position,
      label: own.label,
      balance: coinsOf(own.balance),
      outputs: own.outputCount,
      used: own.usedHeight !== null,
      issued_at_millis: own.issuedAtMillis,
    })),
    ...(found.length > limit ? { next_cursor: String(page.at(-1)?.id) } : {}),
  };
};

export const setLabel: Handler<'set_label'> = (wallet, { address, label }) => {
  const own = ownAddressOf(wallet, address, 'address');
  wallet.state.addresses.setLabel(own.id, label);
  return { address: own.address, label };
};

/** What is wrong with a text is the answer, not an error. */
export const validateAddress: Handler<'validate_address'> = (wallet, { address: text }) => {
  let document: AddressDocument;
  try {
    document = JSON.parse(parseAddress(text, wallet.network)) as AddressDocument;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { valid: false, reason: { code: error.code, message: error.message } };
  }
  const address = text.toLowerCase();
  const own = wallet.state.addresses.find(address);
  return {
    valid: true,
    address,
    network: document.network,
    type: document.type,
    words: addressVerificationWords(address),
    own: own !== undefined,
    label: own?.label ?? null,
  };
};

/** Of the gap; from here on callers are warned. */
const WARN_PERCENT = 80;

/** The warning about so many unpaid addresses in a row; undefined while they are few. */
export function gapWarning(unpaid: number, gap: number): string | undefined {
  if (unpaid * 100 < gap * WARN_PERCENT) return undefined;
  const fact = `${unpaid} addresses in a row were given out and not paid`;
  const reach = `a wallet restored from its words looks at ${gap}`;
  return unpaid > gap
    ? `${fact}, and ${reach}: it would not see a payment to this one; run with a larger --gap`
    : `${fact}, and ${reach}: give out fewer, or run with a larger --gap`;
}
