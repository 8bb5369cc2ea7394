/** Addresses, amounts, payment URIs. */
import type { PublicCheck } from './check.ts';
import { document, equal, holds, refuses } from './check.ts';
import { NETWORK, withWallet } from './fixture.ts';

const addresses: PublicCheck = {
  functions: ['addressFromPublicKey', 'parseAddress', 'burnAddress'],
  run: (svc) =>
    withWallet(svc, ({ publicKeys, addresses: [address = ''] }) => {
      equal(document(svc.parseAddress(address))['type'], 'key', 'type');
      equal(document(svc.parseAddress(address.toUpperCase()))['network'], NETWORK, 'network');
      const elsewhere = svc.addressFromPublicKey(publicKeys[0] as Uint8Array, 'mainnet');
      refuses(svc, 'wrong_network', () => svc.parseAddress(elsewhere, NETWORK));
      const swapped = address.slice(0, -1) + (address.endsWith('q') ? 'p' : 'q');
      refuses(svc, 'bad_address', () => svc.parseAddress(swapped));
      const burn = svc.burnAddress(NETWORK);
      equal(document(svc.parseAddress(burn))['type'], 'burn', 'type');
      return [address, burn];
    }),
};

const amounts: PublicCheck = {
  functions: ['parseAmount', 'formatAmount'],
  run: (svc) => {
    equal(svc.parseAmount('1.25'), '125000000', 'atoms');
    equal(svc.formatAmount('125000000'), '1.25000000', 'coins');
    equal(svc.parseAmount('200000000'), '20000000000000000', 'maximum supply');
    for (const text of ['1e3', '01', '-1', '1.123456789', '200000000.00000001']) {
      refuses(svc, 'bad_amount', () => svc.parseAmount(text));
    }
    return [];
  },
};

const paymentUris: PublicCheck = {
  functions: ['parsePaymentUri'],
  run: (svc) =>
    withWallet(svc, ({ addresses: [address = ''] }) => {
      const uri = `svc:${address}?amount=1.25&label=Tea%20house`;
      const parsed = document(svc.parsePaymentUri(uri, NETWORK));
      equal(parsed['address'], address, 'address');
      equal(parsed['label'], 'Tea house', 'label');
      holds(JSON.stringify(parsed).includes('125000000'), 'the amount in atoms');
      refuses(svc, 'bad_uri', () => svc.parsePaymentUri(`${uri}&req-new=1`, NETWORK));
      return [JSON.stringify(parsed)];
    }),
};

export const textChecks: readonly PublicCheck[] = [addresses, amounts, paymentUris];
