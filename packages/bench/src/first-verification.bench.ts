/**
 * The first verification of a transaction in a fresh process, before any code is compiled well:
 * what a person waits for when a page or a command has just started. Measured on the release.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  addressFromPublicKey,
  assembleTransaction,
  encodeTransactionBody,
  encodeWitness,
  init,
  spendMessage,
  WalletRoot,
} from 'svc-wasm';
import { createManifest } from 'svc-wasm/protocol';
import { makeRelease } from '../../../tools/release/release.ts';
import { type BenchOptions, formatTime, type Row } from './harness.ts';

const LIMIT_NS = 30e6;
const PROCESSES = 11;

/** One signed payment, as JSON for the process. */
function makePayment(): string {
  const root = WalletRoot.fromEntropy(new Uint8Array(32));
  const manifest = createManifest('development', new Uint8Array(48)).json;
  const publicKey = root.derivePublicKey(0, 0, 0);
  const address = addressFromPublicKey(publicKey, 'development');
  const request = {
    valid_from_height: '1',
    valid_until_height: '100',
    inputs: [{ transaction_id: '00'.repeat(48), output_index: '0' }],
    outputs: [{ address, amount: '100000000' }],
    payload_hex: '',
  };
  const body = encodeTransactionBody(JSON.stringify(request), manifest);
  const previous = JSON.stringify({ address, amount: '101000000' });
  const message = spendMessage(body, 0, previous, manifest);
  const witness = encodeWitness(publicKey, root.sign(0, 0, 0, message, true));
  root.free();
  const wire = [...assembleTransaction(body, [witness], manifest)];
  return JSON.stringify({ wire, previousOutputs: `[${previous}]`, manifest });
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const folder = mkdtempSync(join(tmpdir(), 'svc-first-'));
  try {
    const file = join(folder, 'payment.json');
    writeFileSync(file, makePayment());
    const release = await makeRelease(join(folder, 'svc-wasm'));
    const script = fileURLToPath(new URL('first-verification-process.ts', import.meta.url));
    const entry = pathToFileURL(join(release.folder, 'node.js')).href;
    const count = options.smoke ? 1 : Math.ceil(PROCESSES * options.size);
    const runs = Array.from({ length: count }, () => {
      const output = execFileSync(process.execPath, [script, entry, file], { encoding: 'utf8' });
      return JSON.parse(output) as { init: number; verification: number };
    });
    const median = (key: 'init' | 'verification') =>
      runs.map((run) => run[key]).sort((a, b) => a - b)[count >> 1] as number;
    const verification = median('verification');
    return [
      {
        name: 'first verification in a fresh process',
        ours: `${formatTime(verification)} median, after ${formatTime(median('init'))} of init`,
        peer: `${formatTime(LIMIT_NS)} (what a person may wait)`,
        ratio: LIMIT_NS / verification,
        limit: 1,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
