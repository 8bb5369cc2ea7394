/**
 * A payment of a wallet with a million outputs beside one of a wallet with a thousand, and beside one with ten: planned, signed,
 * checked and recorded, without the node. What a wallet holds must not make its payments slower.
 */
import { init } from 'svc-wasm';
import { type BenchOptions, type Contender, compare, type Row } from './harness.ts';
import { WalletFixture } from './wallet-fixture.ts';
import { payerOf } from './wallet-payer.ts';

const MANY = { addresses: 10_000, outputs: 1_000_000 };
const FEW = { addresses: 10, outputs: 1_000 };
const TEN = { addresses: 10, outputs: 10 };
const LIMIT = 0.7;
/** Outputs that a round pays with, all those of the least wallet. */
const PAYMENTS = 10;

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const many = new WalletFixture(options.smoke ? FEW : MANY);
  const few = new WalletFixture(FEW);
  const ten = new WalletFixture(TEN);
  try {
    const ours = { name: 'a million outputs', run: payerOf(many) };
    const beside = (outputs: number, peer: Contender): Row =>
      compare(
        {
          name: `wallet::payment/outputs=1000000,beside=${outputs}`,
          ours,
          peer,
          limit: LIMIT,
          operations: PAYMENTS,
          rounds: 20,
          statistic: 'mean',
        },
        options,
      );
    return [
      beside(FEW.outputs, { name: 'a thousand', run: payerOf(few) }),
      beside(TEN.outputs, {
        name: 'ten',
        run: payerOf(ten),
        prepare: refill(ten),
      }),
    ];
  } finally {
    for (const fixture of [many, few, ten]) fixture.close();
  }
}

/** Before each round but the first, a wallet that has paid with all that it held is paid as many outputs again. */
function refill(fixture: WalletFixture): () => void {
  let added: number = TEN.outputs;
  let isFirst = true;
  return () => {
    if (isFirst) {
      isFirst = false;
      return;
    }
    fixture.state.database.transaction(() => {
      for (let at = 0; at < PAYMENTS; at++, added++) {
        fixture.addOutput(added, 1 + (added % TEN.addresses));
      }
    });
  };
}
