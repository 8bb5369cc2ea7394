/**
 * A thread that signs the payments of a long chain ahead of the thread that executes them. What each payment
 * spends follows from the payments before it, so nothing has to be asked of the chain.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DEVELOPMENT_MNEMONIC, outpointKey, outpointOf } from 'svc-ledger';
import {
  assembleTransaction,
  encodeWitness,
  init,
  spendMessage,
  transactionId,
  WalletRoot,
} from 'svc-wasm';
import { CONTEXTS, contextBytes, fromHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { createManifest, encodeBody } from 'svc-wasm/protocol';

export interface OwnedCoin {
  outpoint: string;
  amount: bigint;
  readonly account: number;
}

export interface PaymentOrder {
  readonly chainId: string;
  readonly addresses: readonly string[];
  readonly coins: readonly OwnedCoin[];
  readonly perCut: number;
}

/** The payments of some cuts from a height on. */
export interface PaymentsWish {
  readonly height: number;
  readonly cuts: number;
}

const AMOUNT = 100_000n;
const FEE = 100_000n;
const VALID_CUTS = 60;

const { chainId, addresses, coins, perCut } = workerData as PaymentOrder;
await init();
const manifest = createManifest('development', fromHex(chainId));
const context = contextBytes(CONTEXTS.spend);
using root = WalletRoot.fromMnemonic(DEVELOPMENT_MNEMONIC, '', 'development');
const keys = addresses.map((_, index) => mlDsa65.keygen(root.exportSeed(0, 0, index)));
let turn = 0;

parentPort?.on('message', ({ height, cuts }: PaymentsWish) => {
  const payments = Array.from({ length: cuts }, (_, cut) =>
    Array.from({ length: perCut }, () => pay(height + cut)),
  );
  parentPort?.postMessage(payments);
});

/** From the next coin to somebody else, with the change as the coin of the next time. */
function pay(height: number): Uint8Array {
  const coin = coins[turn++ % coins.length] as OwnedCoin;
  const own = addresses[coin.account] as string;
  const { publicKey, secretKey } = keys[coin.account] as (typeof keys)[number];
  const { transactionId: spent, outputIndex } = outpointOf(coin.outpoint);
  const change = coin.amount - AMOUNT - FEE;
  const body = encodeBody(
    JSON.stringify({
      valid_from_height: String(height - 1),
      valid_until_height: String(height - 1 + VALID_CUTS),
      inputs: [{ transaction_id: spent, output_index: String(outputIndex) }],
      outputs: [
        { address: addresses[(coin.account + 1) % addresses.length], amount: String(AMOUNT) },
        { address: own, amount: String(change) },
      ],
      payload_hex: '',
    }),
    manifest,
  );
  const previous = JSON.stringify({ address: own, amount: String(coin.amount) });
  const message = spendMessage(body, 0, previous, manifest.json);
  const witness = encodeWitness(publicKey, mlDsa65.sign(secretKey, message, { context }));
  const id = transactionId(body, manifest.json);
  coin.outpoint = outpointKey({ transactionId: id, outputIndex: 1 });
  coin.amount = change;
  return assembleTransaction(body, [witness], manifest.json);
}
