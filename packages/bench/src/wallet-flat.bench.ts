/**
 * A payment of a wallet with a million outputs beside one of a wallet with a thousand: planned, signed, checked and recorded,
 * without the node. What a wallet holds must not make its payments slower.
 */
import { init } from 'svc-wasm';
import { type BenchOptions, compare, type Row } from './harness.ts';
import { WalletFixture } from './wallet-fixture.ts';
import { payerOf } from './wallet-payer.ts';

const MANY = { addresses: 10_000, outputs: 1_000_000 };
const FEW = { addresses: 10, outputs: 1_000 };

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const many = new WalletFixture(options.smoke ? FEW : MANY);
  const few = new WalletFixture(FEW);
  try {
    return [
      compare(
        {
          name: 'wallet::payment/outputs=1000000',
          ours: { name: 'a million outputs', run: payerOf(many) },
          peer: { name: 'a thousand', run: payerOf(few) },
          limit: 0.7,
          operations: 20,
          rounds: 10,
          statistic: 'mean',
        },
        options,
      ),
    ];
  } finally {
    many.close();
    few.close();
  }
}
