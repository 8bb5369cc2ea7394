/**
 * ML-DSA-65 beside OpenSSL in the same process, whose keys are imported beforehand. Signing takes a
 * number of attempts that varies with message and randomness, so there the mean of many counts.
 */
import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as opensslSign,
  verify as opensslVerify,
  randomBytes,
} from 'node:crypto';
import { init } from 'svc-wasm';
import { type ExpandedKey, mlDsa65 } from 'svc-wasm/kernel';
import { type BenchOptions, type Comparison, compare, type Row } from './harness.ts';

const KEYS = 48;
const TYPE = { asymmetricKeyType: 'ml-dsa-65' } as const;

interface Key {
  readonly seed: Uint8Array;
  readonly secretKey: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly expanded: ExpandedKey;
  readonly publicObject: KeyObject;
  readonly privateObject: KeyObject;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

function makeKey(): Key {
  const seed = randomBytes(32);
  const message = randomBytes(100);
  const { publicKey, secretKey } = mlDsa65.keygen(seed);
  return {
    seed,
    secretKey,
    publicKey,
    message,
    expanded: mlDsa65.expand(publicKey),
    publicObject: createPublicKey({ key: publicKey, format: 'raw-public', ...TYPE }),
    privateObject: createPrivateKey({ key: seed, format: 'raw-seed', ...TYPE }),
    signature: mlDsa65.sign(secretKey, message),
  };
}

function expectValid(valid: boolean): void {
  if (!valid) throw new Error('a valid signature was refused');
}

function comparisons(keys: readonly Key[]): Comparison[] {
  const key = (index: number) => keys[index % KEYS] as Key;
  const opensslVerifies = {
    name: 'OpenSSL, KeyObject ready',
    run: (index: number) => {
      const { message, publicObject, signature } = key(index);
      expectValid(opensslVerify(null, message, publicObject, signature));
    },
  };
  return [
    {
      name: 'ml-dsa-65 verify',
      ours: {
        name: 'kernel, public key',
        run: (i) => expectValid(mlDsa65.verify(key(i).publicKey, key(i).message, key(i).signature)),
      },
      peer: opensslVerifies,
      limit: { arm64: 2.7, x64: 2.5 },
      operations: KEYS,
    },
    {
      name: 'ml-dsa-65 verify, key met before',
      ours: {
        name: 'kernel, expanded key',
        run: (i) => expectValid(mlDsa65.verify(key(i).expanded, key(i).message, key(i).signature)),
      },
      peer: opensslVerifies,
      limit: { arm64: 10, x64: 9 },
      operations: KEYS,
    },
    {
      name: 'ml-dsa-65 sign',
      ours: {
        name: 'kernel, hedged',
        run: (i) => void mlDsa65.sign(key(i).secretKey, key(i).message),
      },
      peer: {
        name: 'OpenSSL, KeyObject ready',
        run: (i) => void opensslSign(null, key(i).message, key(i).privateObject),
      },
      limit: { arm64: 4, x64: 3.8 },
      operations: 4 * KEYS,
      rounds: 12,
      statistic: 'mean',
    },
    {
      name: 'ml-dsa-65 key from seed',
      ours: { name: 'kernel', run: (i) => void mlDsa65.keygen(key(i).seed) },
      peer: {
        name: 'OpenSSL, import of a seed',
        run: (i) =>
          void createPrivateKey({ key: key(i).seed as Buffer, format: 'raw-seed', ...TYPE }),
      },
      limit: 2,
      operations: KEYS,
    },
  ];
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const keys = Array.from({ length: KEYS }, makeKey);
  return comparisons(keys).map((comparison) => compare(comparison, options));
}
