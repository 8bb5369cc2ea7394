/**
 * A thread that signs the payments of a long chain ahead of the thread that executes them. What each payment
 * spends follows from the payments before it, so nothing has to be asked of the chain.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DEVELOPMENT_MNEMONIC, outpointKey, outpointOf } from 'svc-ledger';
import {
  addressFromPublicKey,
  assembleTransaction,
  encodeWitnessWithProfile,
  init,
  spendMessage,
  transactionId,
  WalletRoot,
} from 'svc-wasm';
import { CONTEXTS, contextBytes, fromHex } from 'svc-wasm/base';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';
import { createManifest, encodeBody } from 'svc-wasm/protocol';

/**
 * How payments show their keys: by reference once the chain knows a key, as wallets do; in full every time although the
 * chain knows it; or each with a key of its own, which signs once.
 */
export type PaymentKeys = 'known' | 'in-full' | 'new';

export interface OwnedCoin {
  readonly outpoint: string;
  readonly amount: bigint;
  readonly account: number;
}

export interface PaymentOrder {
  readonly chainId: string;
  readonly addresses: readonly string[];
  readonly coins: readonly OwnedCoin[];
  readonly perCut: number;
  readonly keys: PaymentKeys;
}

/** The payments of some cuts from a height on. */
export interface PaymentsWish {
  readonly height: number;
  readonly cuts: number;
}

const AMOUNT = 100_000n;
const FEE = 100_000n;
const VALID_CUTS = 60;
/** A key that was shown so many cuts ago is in the registry. */
const REGISTERED_CUTS = 20;

interface Owner extends KeyPair {
  readonly address: string;
  /** When it was shown first. */
  shownAt?: number;
}

interface Coin {
  outpoint: string;
  amount: bigint;
  owner: Owner;
}

const order = workerData as PaymentOrder;
await init();
const manifest = createManifest('development', fromHex(order.chainId));
const context = contextBytes(CONTEXTS.spend);
using root = WalletRoot.fromMnemonic(DEVELOPMENT_MNEMONIC, '', 'development');
const owners = order.addresses.map((address, index): Owner => {
  return { address, ...mlDsa65.keygen(root.exportSeed(0, 0, index)) };
});
const coins = order.coins.map(({ account, amount, outpoint }): Coin => {
  return { outpoint, amount, owner: owners[account] as Owner };
});
let turn = 0;

parentPort?.on('message', ({ height, cuts }: PaymentsWish) => {
  const payments = Array.from({ length: cuts }, (_, cut) =>
    Array.from({ length: order.perCut }, () => pay(height + cut)),
  );
  parentPort?.postMessage(payments);
});

/** From the next coin to somebody else, with the change as the coin of the next time. */
function pay(height: number): Uint8Array {
  const coin = coins[turn++ % coins.length] as Coin;
  const { owner } = coin;
  const changeOwner = order.keys === 'new' ? newOwner(turn) : owner;
  const { transactionId: spent, outputIndex } = outpointOf(coin.outpoint);
  const change = coin.amount - AMOUNT - FEE;
  const payee = (owners[turn % owners.length] as Owner).address;
  const body = encodeBody(
    JSON.stringify({
      valid_from_height: String(height - 1),
      valid_until_height: String(height - 1 + VALID_CUTS),
      inputs: [{ transaction_id: spent, output_index: String(outputIndex) }],
      outputs: [
        { address: payee, amount: String(AMOUNT) },
        { address: changeOwner.address, amount: String(change) },
      ],
      payload_hex: '',
    }),
    manifest,
  );
  const previous = JSON.stringify({ address: owner.address, amount: String(coin.amount) });
  const message = spendMessage(body, 0, previous, manifest.json);
  const witness = witnessOf(owner, mlDsa65.sign(owner.secretKey, message, { context }), height);
  const id = transactionId(body, manifest.json);
  coin.outpoint = outpointKey({ transactionId: id, outputIndex: 1 });
  coin.amount = change;
  coin.owner = changeOwner;
  return assembleTransaction(body, [witness], manifest.json);
}

function witnessOf(owner: Owner, signature: Uint8Array, height: number): Uint8Array {
  owner.shownAt ??= height;
  const isRegistered = height >= owner.shownAt + REGISTERED_CUTS;
  return order.keys === 'known' && isRegistered
    ? encodeWitnessWithProfile('referenced', null, signature)
    : encodeWitnessWithProfile('inline', owner.publicKey, signature);
}

function newOwner(number: number): Owner {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setUint32(0, number);
  const keys = mlDsa65.keygen(seed);
  return { address: addressFromPublicKey(keys.publicKey, 'development'), ...keys };
}
