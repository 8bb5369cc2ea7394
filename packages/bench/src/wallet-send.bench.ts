/**
 * `send` as a service calls it: over HTTP, to a daemon that is a process of its own, which plans, signs, records
 * on the disk, submits to a node and answers. Callers wait for their answers, some at a time. The rate stands beside
 * that of one thread that does nothing but sign.
 */
import { init, WalletRoot } from 'svc-wasm';
import type { BenchOptions, Row } from './harness.ts';
import { SendNetwork } from './wallet-send-network.ts';

const CALLS = 400;
const SMOKE_CALLS = 6;
const CALLERS = 8;
const SIGNATURES = 500;
/** The daemon writes twice and waits twice for each call, and a node checks what it submits. */
const SHARE_OF_SIGNING_MIN = 0.05;

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const calls = options.smoke ? SMOKE_CALLS : Math.ceil(CALLS * Math.min(2, options.size));
  const network = await SendNetwork.start();
  try {
    await network.split(calls + CALLERS);
    const to = await network.address();
    const signing = signaturesPerSecond();
    const { millis, seconds } = await sendAll(network, to, calls);
    const rate = calls / seconds;
    const at = (share: number): string => `${quantile(millis, share).toFixed(0)} ms`;
    return [
      {
        name: `wallet::send/callers=${CALLERS}`,
        ours: `${rate.toFixed(0)} calls a second; ${at(0.5)} median, ${at(0.99)} p99`,
        peer: `${signing.toFixed(0)} signatures a second, nothing else`,
        ratio: rate / signing,
        limit: SHARE_OF_SIGNING_MIN,
      },
    ];
  } finally {
    await network.close();
  }
}

async function sendAll(network: SendNetwork, to: string, calls: number) {
  const millis: number[] = [];
  let next = 0;
  const begun = performance.now();
  const caller = async (): Promise<void> => {
    while (next < calls) {
      const request_id = `send-${next++}`;
      const start = performance.now();
      await network.call('send', { to, amount: '1', request_id });
      millis.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { millis, seconds: (performance.now() - begun) / 1e3 };
}

/** The time that a share of all calls stayed below. */
function quantile(millis: readonly number[], share: number): number {
  const sorted = millis.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function signaturesPerSecond(): number {
  const root = WalletRoot.fromMnemonic(`${'abandon '.repeat(23)}art`);
  const message = new Uint8Array(48);
  const begun = performance.now();
  for (let count = 0; count < SIGNATURES; count++) {
    message[0] = count;
    root.sign(0, 0, 0, message, true);
  }
  const seconds = (performance.now() - begun) / 1e3;
  root.free();
  return SIGNATURES / seconds;
}
