/**
 * Addresses that pay, with the outputs that a node says they hold. Signatures cover the amounts, so that a payment
 * made from a lie is worthless.
 */
import type { Client } from 'svc-client';
import { reading } from '../../node/node-fault.ts';
import type { CoinSource } from '../../spend/select-coins.ts';
import type { OwnAddress } from '../../state/addresses.ts';
import type { Coin } from '../../state/outputs.ts';

export interface Payer {
  readonly address: OwnAddress;
  readonly coins: readonly Coin[];
}

const COINS_MAX = 4_096;

export async function readPayers(client: Client, addresses: readonly string[]): Promise<Payer[]> {
  const { keys } = await reading(client.keysRegistered({ addresses: [...addresses] }));
  const payers: Payer[] = [];
  let id = 0;
  for (const [at, address] of addresses.entries()) {
    const coins: Coin[] = [];
    for await (const { amount, outpoint } of client.pages.addressUtxos({ address })) {
      if (coins.length === COINS_MAX) break;
      coins.push({
        id: id++,
        transactionId: outpoint.transaction_id,
        outputIndex: outpoint.output_index,
        addressId: at,
        amount: BigInt(amount),
      });
    }
    payers.push({ address: payerAddress(at, address, keys[at]?.registered === true), coins });
  }
  return payers;
}

export function coinSource(payers: readonly Payer[]): CoinSource {
  const coins = payers
    .flatMap((payer) => payer.coins)
    .sort((a, b) => (a.amount === b.amount ? a.id - b.id : a.amount < b.amount ? 1 : -1));
  return {
    smallestAtLeast: (amount) => coins.findLast((coin) => coin.amount >= amount),
    largest: (limit) => coins.slice(0, limit),
  };
}

function payerAddress(id: number, address: string, isKeyRegistered: boolean): OwnAddress {
  return {
    id,
    branch: 0,
    position: 0,
    address,
    label: null,
    issuedAtMillis: null,
    usedHeight: null,
    isKeyRegistered,
    balance: 0n,
    outputCount: 0,
  };
}
