/**
 * Project Wycheproof's cases for ML-DSA-65, on both builds of the kernel. The files are another
 * project's and are read in place; without them these tests are skipped with a message.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { fromHex, toHex } from '../src/base/bytes.ts';
import { SvcError } from '../src/base/svc-error.ts';
import type { KeyPair } from '../src/kernel/ml-dsa.ts';
import { type KernelTwin, kernelTwins } from './kernel-twins.ts';

const FOLDER = new URL('../../../../shared/vectors/', import.meta.url);

interface SignCase {
  readonly tcId: number;
  readonly comment: string;
  readonly msg?: string;
  readonly ctx?: string;
  readonly mu?: string;
  readonly rnd?: string;
  readonly sig: string;
  readonly result: 'valid' | 'invalid';
}

interface SignGroup {
  readonly privateSeed: string;
  readonly publicKey: string | null;
  readonly tests: readonly SignCase[];
}

interface VerifyGroup {
  readonly publicKey: string;
  readonly tests: readonly SignCase[];
}

function readGroups<T>(name: string, t: TestContext): readonly T[] | undefined {
  const file = new URL(name, FOLDER);
  if (!existsSync(file)) {
    t.skip(`Wycheproof ${name} passed over: ../shared/vectors is not there`);
    return undefined;
  }
  return (JSON.parse(readFileSync(file, 'utf8')) as { testGroups: readonly T[] }).testGroups;
}

function optional(hex: string | undefined): Uint8Array | undefined {
  return hex === undefined ? undefined : fromHex(hex);
}

/** The verdict of verification, where a refusal of the arguments counts as invalid. */
function verdict(twin: KernelTwin, publicKey: string, c: SignCase): boolean {
  const context = optional(c.ctx) ?? new Uint8Array(0);
  try {
    return twin.mlDsa65.verify(fromHex(publicKey), fromHex(c.msg ?? ''), fromHex(c.sig), {
      context,
    });
  } catch (error) {
    if (error instanceof SvcError && error.path === 'context') return false;
    throw error;
  }
}

/** Signs a message representative, and checks that the kernel verifies it. */
function signMu(twin: KernelTwin, pair: KeyPair, mu: Uint8Array): Uint8Array {
  const { bytes, input, output, exports } = twin.instance;
  const [muAt, randomAt] = [input + 4096, input + 8192];
  bytes.set(pair.secretKey, input);
  bytes.set(mu, muAt);
  bytes.fill(0, randomAt, randomAt + 32);
  assert.equal(exports.mldsaSignMu(input, muAt, randomAt, output), 1);
  bytes.set(pair.publicKey, input);
  assert.equal(exports.mldsaVerifyMu(input, muAt, output), 1);
  return bytes.slice(output, output + 3309);
}

function signCase(twin: KernelTwin, seed: string, c: SignCase): string {
  const pair = twin.mlDsa65.keygen(fromHex(seed));
  if (c.msg === undefined) return toHex(signMu(twin, pair, fromHex(c.mu ?? '')));
  const random = optional(c.rnd) ?? new Uint8Array(32);
  const context = optional(c.ctx) ?? new Uint8Array(0);
  return toHex(twin.mlDsa65.sign(pair.secretKey, fromHex(c.msg), { context, random }));
}

for (const twin of await kernelTwins()) {
  test(`every Wycheproof verification case has its verdict (${twin.name})`, (t) => {
    const groups = readGroups<VerifyGroup>('wycheproof_mldsa_65_verify_test.json', t);
    if (groups === undefined) return;
    let cases = 0;
    for (const group of groups) {
      for (const c of group.tests) {
        assert.equal(
          verdict(twin, group.publicKey, c),
          c.result === 'valid',
          `${c.tcId}: ${c.comment}`,
        );
        cases++;
      }
    }
    t.diagnostic(`${cases} cases`);
    assert.equal(cases, 210);
  });

  test(`every Wycheproof signing case gives its signature (${twin.name})`, (t) => {
    const groups = readGroups<SignGroup>('wycheproof_mldsa_65_sign_seed_test.json', t);
    if (groups === undefined) return;
    let [signed, refused, fromMu] = [0, 0, 0];
    for (const group of groups) {
      for (const c of group.tests) {
        if (c.result === 'valid') {
          assert.equal(signCase(twin, group.privateSeed, c), c.sig, `${c.tcId}: ${c.comment}`);
          const pair = twin.mlDsa65.keygen(fromHex(group.privateSeed));
          assert.equal(toHex(pair.publicKey), group.publicKey);
          if (c.msg === undefined) fromMu++;
          signed++;
        } else {
          assert.throws(
            () => signCase(twin, group.privateSeed, c),
            { code: 'bad_length' },
            c.comment,
          );
          refused++;
        }
      }
    }
    t.diagnostic(`${signed} signed, of them ${fromMu} from mu; ${refused} refused`);
    assert.deepEqual([signed, fromMu, refused], [101, 17, 4]);
  });
}
