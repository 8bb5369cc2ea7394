/**
 * A certificate that all 64 validators signed, checked whole from its bytes with keys met before,
 * beside OpenSSL checking the same 64 signatures one by one. The budget is 2.5 ms of processor time;
 * the least time of a call on the wall is an upper bound of it, because one thread does the work.
 */
import { createPublicKey, type KeyObject, verify as opensslVerify, randomBytes } from 'node:crypto';
import {
  type CommitCertificate,
  type CutId,
  encodeMessage,
  height,
  NO_ROUND,
  round,
  signatureContext,
  signedBytesOf,
  Verifier,
  type WireContext,
} from 'svc-consensus/machine';
import { init } from 'svc-wasm';
import { compareBytes, contextBytes, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { encodeValidatorSet, validatorSetId } from 'svc-wasm/protocol';
import { type BenchOptions, compare, formatTime, type Row } from './harness.ts';

const VALIDATORS = 64;
const BUDGET_NANOSECONDS = 2.5e6;
const CONTEXT = contextBytes(signatureContext('precommit'));

interface Subject {
  readonly verifier: Verifier;
  readonly certificate: Uint8Array;
  readonly signedBytes: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  readonly keys: readonly KeyObject[];
}

function makeSubject(): Subject {
  const members = Array.from({ length: VALIDATORS }, () => ({
    id: new Uint8Array(randomBytes(48)),
    stake: 1n,
    ...mlDsa65.keygen(randomBytes(32)),
  })).sort((a, b) => compareBytes(a.id, b.id));
  const encodedSet = encodeValidatorSet(members);
  const setId = validatorSetId(encodedSet);
  const wire: WireContext = { chainId: new Uint8Array(randomBytes(48)), setIdAt: () => setId };
  const said = { height: height(9), round: round(0), value: toHex(randomBytes(48)) as CutId };
  const vote = { ...said, kind: 'precommit', validRound: NO_ROUND, validatorIndex: 0 } as const;
  const signedBytes = signedBytesOf(wire, vote);
  const signatures = members.map(({ secretKey }) =>
    mlDsa65.sign(secretKey, signedBytes, { context: CONTEXT }),
  );
  const signers = (1n << BigInt(VALIDATORS)) - 1n;
  const commit: CommitCertificate = { kind: 'commitCertificate', ...said, signers, signatures };
  const verifier = new Verifier(wire.chainId);
  verifier.learnSet(encodedSet);
  const keys = members.map(({ publicKey }) =>
    createPublicKey({ key: publicKey, format: 'raw-public', asymmetricKeyType: 'ml-dsa-65' }),
  );
  return { verifier, certificate: encodeMessage(wire, commit), signedBytes, signatures, keys };
}

function checkOurs({ verifier, certificate }: Subject): void {
  if (!verifier.verify(certificate).holds) throw new Error('a valid certificate was refused');
}

function checkByOpenssl({ keys, signatures, signedBytes }: Subject): void {
  for (const [index, key] of keys.entries()) {
    const signature = signatures[index] as Uint8Array;
    if (!opensslVerify(null, signedBytes, { key, context: CONTEXT }, signature))
      throw new Error('a valid signature was refused');
  }
}

function leastTime(run: () => void, rounds: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < rounds; count++) {
    const start = process.hrtime.bigint();
    run();
    least = Math.min(least, Number(process.hrtime.bigint() - start));
  }
  return least;
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const subject = makeSubject();
  const rounds = options.smoke ? 1 : Math.ceil(40 * options.size);
  const beside = compare(
    {
      name: 'certificate of 64 signatures, keys met before',
      ours: { name: 'one certificate from its bytes', run: () => checkOurs(subject) },
      peer: { name: 'OpenSSL, 64 signatures one by one', run: () => checkByOpenssl(subject) },
      limit: 8,
      operations: 1,
      rounds: 40,
    },
    options,
  );
  const least = leastTime(() => checkOurs(subject), rounds);
  const budget: Row = {
    name: 'certificate of 64 signatures, within its budget',
    ours: `${formatTime(least)} least`,
    peer: `${formatTime(BUDGET_NANOSECONDS)} allowed`,
    ratio: BUDGET_NANOSECONDS / least,
    limit: 1,
  };
  return [beside, budget];
}
