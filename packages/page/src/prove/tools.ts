/**
 * What the tools of the page compute with the module. Nothing leaves the tab; decoding reads the terms of the chain.
 */
import { createClient } from 'svc-client';
import {
  addressFromPublicKey,
  addressVerificationWords,
  decodeRecipientPayloads,
  formatPaymentUri,
  fromHex,
  inspectTransaction,
  WalletRoot,
} from 'svc-wasm';
import type { ToolOrder } from './messages.ts';

const ADDRESSES_SHOWN = 5;

export async function computeTool(origin: string, order: ToolOrder): Promise<string> {
  switch (order.tool) {
    case 'words':
      return addressVerificationWords(order.address);
    case 'uri':
      return formatPaymentUri(JSON.stringify(order.request));
    case 'addresses':
      return addressesOf(order.words, order.network);
    case 'payload':
      return decodeRecipientPayloads(fromHex(order.hex));
    case 'decode': {
      const manifest = await createClient({ url: origin }).transactionsManifest();
      const text = inspectTransaction(fromHex(order.hex), JSON.stringify(manifest));
      return JSON.stringify(JSON.parse(text), null, 2);
    }
  }
}

function addressesOf(words: string, network: string): string {
  if (network === 'mainnet') throw new Error('words of mainnet do not belong into a page');
  using root = WalletRoot.fromMnemonic(words, '', network);
  return Array.from({ length: ADDRESSES_SHOWN }, (_, place) =>
    addressFromPublicKey(root.derivePublicKey(0, 0, place), network),
  ).join('\n');
}
