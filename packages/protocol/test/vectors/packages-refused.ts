/**
 * What must be refused of section 5: packages that break a rule of their form or are not signed.
 */
import { concatBytes } from '../../src/base/bytes.ts';
import { Writer } from '../../src/base/writer.ts';
import { reviewMultisigPackage } from '../../src/multisig/package-review.ts';
import type { Vault } from '../multisig-fixture.ts';
import { packageOf, signedBy, vaultOf } from '../multisig-fixture.ts';
import { bodyOf, manifestWith, operationRequest, outpoint } from '../transaction-fixture.ts';
import { refusedBytes, withBytes } from './refused.ts';

const SIGNATURE_BYTES = 3309;

/** A package put together by hand: two inputs, and what stands in place of the usual parts. */
function assembled(
  vault: Vault,
  parts: {
    tag?: string;
    body?: Uint8Array;
    policy?: readonly [number, number];
    keys?: readonly Uint8Array[];
    amounts?: readonly bigint[];
    signatures?: Uint8Array;
  },
): Uint8Array {
  const writer = new Writer()
    .raw(new TextEncoder().encode(parts.tag ?? 'TRMSIGP1'))
    .counted(parts.body ?? vault.body);
  for (const value of parts.policy ?? [2, 3]) writer.u8(value);
  const keys = parts.keys ?? vault.members.map(({ publicKey }) => publicKey);
  for (const key of keys) writer.raw(key);
  for (const amount of parts.amounts ?? vault.amounts.map(BigInt)) writer.u64(amount);
  return writer.raw(parts.signatures ?? Uint8Array.of(0, 0)).finish();
}

export function refusedPackageVectors(): object {
  const manifest = manifestWith();
  const vault = vaultOf(2, 3);
  const [a, b, c] = vault.members.map(({ publicKey }) => publicKey) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const signed = signedBy(packageOf(vault, 'multisig_inline'), vault, 0);
  const signatureAt = signed.length - SIGNATURE_BYTES;
  const empty = new Uint8Array(SIGNATURE_BYTES);
  const withOperation = bodyOf({ operation: operationRequest('exit') }, manifest);
  const review = (bytes: Uint8Array) => reviewMultisigPackage(bytes, manifest.json);
  const made = (parts: Parameters<typeof assembled>[1]) => assembled(vault, parts);
  return {
    note: 'Multisig packages that must be refused, section 5 of docs/protocol.md.',
    manifest: JSON.parse(manifest.json) as object,
    refused: refusedBytes('package_hex', review, {
      'one byte long': concatBytes(made({}), Uint8Array.of(0)),
      'one byte short': made({}).slice(0, -1),
      'another tag': made({ tag: 'TRMSIGP3' }),
      'a body with an operation': made({ body: withOperation }),
      'a policy of 3 of 3': made({ policy: [3, 3] }),
      'keys in another order': made({ keys: [b, a, c] }),
      'a key twice': made({ keys: [a, a, c] }),
      'an amount of zero': made({ amounts: [0n, 700_000_000n] }),
      'amounts above the maximum supply': made({ amounts: [20_000_000_000_000_000n, 1n] }),
      'amounts that leave another fee than the declared one': made({
        amounts: [300_000_000n, 400_000_001n],
      }),
      'two inputs and no declared fee': made({
        body: bodyOf({ inputs: [outpoint(0), outpoint(1)] }, manifest),
      }),
      'less than what is paid': made({ amounts: [1n, 1n] }),
      'a signer who is no member': made({ signatures: Uint8Array.of(8, 8) }),
      'more signers than the threshold': made({ signatures: Uint8Array.of(7, 7) }),
      'inputs with different signers': made({
        signatures: concatBytes(Uint8Array.of(1), empty, Uint8Array.of(0)),
      }),
      'one bit of a signature': withBytes(signed, signatureAt, (signed[signatureAt] ?? 0) ^ 1),
    }),
  };
}
