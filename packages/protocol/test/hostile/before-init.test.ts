import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as svc from '../../src/entry/node.ts';
import { kernel as currentKernel, installKernel } from '../../src/kernel/current.ts';
import * as kernel from '../../src/kernel/index.ts';
import type { KernelInstance } from '../../src/kernel/instance.ts';
import { recordCalls } from './record.ts';

await svc.init();

/** Functions of text and of third-party ciphers, which need no kernel. */
const WITHOUT_KERNEL = [
  ...['addressProofRequest', 'burnAddress', 'decodeRecipientPayloads', 'encodeRecipientPayloads'],
  ...['encodeWitness', 'encodeWitnessWithProfile', 'formatAmount', 'isMessengerPayload'],
  ...['messengerLimits', 'mnemonicEntropy', 'mnemonicFromEntropy', 'openWalletFile'],
  ...['parseAddress', 'parseAmount', 'parsePaymentUri', 'sealWalletFile'],
  ...['WalletRoot.free', 'WalletRoot.fromMnemonic'],
];

/** Runs a function as a realm would that has not waited for `init`. */
function withoutKernel(call: () => void): void {
  const installed = currentKernel();
  installKernel(undefined as unknown as KernelInstance);
  try {
    call();
  } finally {
    installKernel(installed);
  }
}

test('a function that needs the kernel says before init that it does, and none guesses', () => {
  // A manifest that was checked before is remembered, and hashed only once.
  const calls = recordCalls(svc, kernel).filter(({ name }) => name !== 'validateManifest');
  const answered = new Set<string>();
  withoutKernel(() => {
    for (const { name, args, again } of calls) {
      try {
        again(args);
        answered.add(name);
      } catch (error) {
        assert.ok(error instanceof svc.SvcError, `${name}: ${String(error)}`);
        assert.equal(error.code, 'not_initialized', name);
      }
    }
  });
  assert.deepEqual([...answered].sort(), WITHOUT_KERNEL.toSorted());
});
