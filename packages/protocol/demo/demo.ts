/**
 * The guided demonstration: a wallet, a payment, a multisig payment and a mined block, each made and
 * checked with the module on the screen. Nothing is kept and nothing is sent.
 */
import { init } from 'svc-wasm';
import { decodeAddress } from 'svc-wasm/base';
import { createManifest } from 'svc-wasm/protocol';
import type { MiningFacts } from './mining.ts';
import { showMining } from './mining.ts';
import type { MultisigFacts } from './multisig.ts';
import { showMultisig } from './multisig.ts';
import type { PaymentFacts } from './payment.ts';
import { showPayment } from './payment.ts';
import type { Output } from './screen.ts';
import { Screen } from './screen.ts';
import { showWallet } from './wallet.ts';

export interface DemoFacts {
  readonly addresses: readonly string[];
  readonly payment: PaymentFacts;
  readonly multisig: MultisigFacts;
  readonly mining: MiningFacts;
}

const NEXT: readonly (readonly [string, string])[] = [
  ['npm test', 'the checks and every test'],
  ['npm run bench', 'measurements, each beside a peer'],
  ['npm run build', 'the package as published, in packages/protocol/dist'],
  ['docs/integrate/svc-wasm.md', 'a payment in thirty lines, and every error code'],
  ['docs/protocol.md', 'the bytes of everything shown here'],
];

export async function runDemo(output: Output): Promise<DemoFacts> {
  const screen = new Screen(output);
  await init();
  const manifest = createManifest('development', new Uint8Array(48).fill(0x5c));
  screen.say('svc: the protocol module at work. Everything below happens now, on this machine.');
  const wallet = showWallet(screen);
  try {
    const payment = showPayment(screen, wallet, manifest.json);
    const multisig = showMultisig(screen, wallet, manifest.json);
    const payout = decodeAddress(wallet.addresses[0], 'development');
    const mining = showMining(screen, payout, manifest);
    screen.title('What to try next');
    screen.facts(NEXT);
    return { addresses: wallet.addresses, payment, multisig, mining };
  } finally {
    wallet.root.free();
  }
}
