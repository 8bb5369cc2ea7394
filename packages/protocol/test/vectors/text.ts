/**
 * Text forms of section 10: amounts and payment URIs. Verification words are in `wallet.json`.
 */
import { encodeAddress } from '../../src/text/address.ts';
import { formatAmount, parseAmount } from '../../src/text/amount.ts';
import { formatPaymentUri, parsePaymentUri } from '../../src/text/payment-uri.ts';
import { NETWORK, person } from '../transaction-fixture.ts';
import { refusedTexts } from './refused.ts';

const COINS = [
  '0',
  '1',
  '0.5',
  '1.25',
  '0.00000001',
  '20000000.1',
  '199999999.99999999',
  '200000000',
];

function amounts(): object[] {
  return COINS.map((coins) => {
    const atoms = parseAmount(coins);
    return { coins, atoms, written: formatAmount(atoms) };
  });
}

function refusedAmounts(): object[] {
  const coins = ['', '.5', '1.', '01', '00', '+1', '-1', '1e3', '1,5', '1 000', ' 1', '１', '0x1'];
  return refusedTexts('coins', parseAmount, {
    ...Object.fromEntries(coins.map((text) => [`'${text}'`, text])),
    'nine decimals': '1.000000000',
    'ten digits': '1000000000',
    'one atom too many': '200000000.00000001',
  });
}

function refusedAtoms(): object[] {
  return refusedTexts('atoms', formatAmount, {
    nothing: '',
    'a leading zero': '01',
    'a sign': '-1',
    'a decimal point': '1.0',
    'one too many': '20000000000000001',
    'more than 64 bits': '99999999999999999999',
  });
}

const URIS = [
  {},
  { amount: '1.25' },
  { amount: '200000000', label: 'Café & Söhne', message: '2 + 2 = 4 % of 100?' },
  { label: '👋', message: 'one\u00a0line' },
];

function uris(): object[] {
  const { address } = person(0);
  return URIS.map((fields) => {
    const uri = formatPaymentUri(JSON.stringify({ network: NETWORK, address, ...fields }));
    return { uri, parsed: JSON.parse(parsePaymentUri(uri, NETWORK)) as object };
  });
}

function readOnlyUris(): object[] {
  const { address } = person(0);
  const texts = [
    `SVC:${address.toUpperCase()}`,
    `svc:${address}?x-colour=red&amount=1`,
    `svc:${address}?label=a+b&message=%E2%9C%93`,
    `svc:${address}?amount=0.10000000`,
  ];
  return texts.map((uri) => ({ uri, parsed: JSON.parse(parsePaymentUri(uri, NETWORK)) as object }));
}

function refusedUris(): object[] {
  const base = `svc:${person(0).address}`;
  return refusedTexts('uri', (uri) => parsePaymentUri(uri, NETWORK), {
    'another scheme': base.replace('svc:', 'dsvc:'),
    'no scheme': person(0).address,
    'two slashes': base.replace('svc:', 'svc://'),
    'a key that must be understood': `${base}?req-lock=1`,
    'a key twice': `${base}?label=a&label=b`,
    'a key in upper case': `${base}?Label=a`,
    'a key without value': `${base}?label`,
    'an empty query': `${base}?`,
    'an amount of zero': `${base}?amount=0`,
    'an amount with a sign': `${base}?amount=+1`,
    'a space': `${base}?label=a b`,
    'a fragment': `${base}#top`,
    'half an escape': `${base}?label=%4`,
    'bytes that are no UTF-8': `${base}?label=%ff`,
    'a line break': `${base}?message=a%0Ab`,
    'a direction mark': `${base}?label=%E2%80%AEevil`,
    'a label of 129 bytes': `${base}?label=${'a'.repeat(129)}`,
    'a message of 513 bytes': `${base}?message=${'a'.repeat(513)}`,
    'more than 4,096 characters': `${base}?x=${'a'.repeat(4096)}`,
    'an address of another network': `svc:${encodeAddress(person(0).addressBytes, 'mainnet')}`,
  });
}

export function textVectors(): object {
  return {
    note: 'Amounts and payment URIs of section 10 of docs/protocol.md for the network development: what they mean, how they are written, and what must be refused. `read_uris` are read but never written in this form.',
    amounts: amounts(),
    refused_amounts: refusedAmounts(),
    refused_atoms: refusedAtoms(),
    uris: uris(),
    read_uris: readOnlyUris(),
    refused_uris: refusedUris(),
  };
}
