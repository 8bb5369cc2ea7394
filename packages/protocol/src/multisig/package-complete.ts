/**
 * Turns a package with enough signatures into a transaction, and verifies it as a node would.
 */
import { concatBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { assemble } from '../transaction/assemble.ts';
import { previousOutputBytes } from '../transaction/previous-output.ts';
import { verifyTransactionBytes } from '../transaction/verify-bytes.ts';
import { encodeMultisigWitness, encodeWitnessWithProfile } from '../transaction/witness.ts';
import { memberAt, openPackage } from './package-open.ts';

/**
 * The transaction in wire encoding. For a referenced package the members' keys are taken as
 * registered: whether a finalized cut holds them is for the caller to ask the registry.
 */
export function completeMultisigPackage(
  packageBytes: Uint8Array,
  manifestJson: string,
): Uint8Array {
  const { content, manifest, body, address } = openPackage(packageBytes, manifestJson);
  const { descriptor, profile, amounts, signatures } = content;
  if (signatures.size < descriptor.threshold) {
    const found = `expected ${descriptor.threshold} signers, found ${signatures.size}`;
    throw new SvcError('package_incomplete', found, { path: 'package' });
  }
  const witnesses = amounts.map((_, input) => {
    if (body.isRepeated(input)) return encodeWitnessWithProfile('repeated', null, null);
    const place = body.signedInputs.indexOf(input);
    const list = [...signatures].map(([member, ofInputs]) => ({
      member,
      signature: ofInputs[place] as Uint8Array,
    }));
    return encodeMultisigWitness(profile, descriptor, list);
  });
  const wire = assemble(body, witnesses, undefined, manifest).bytes;
  const signers = [...signatures.keys()].map((member) => memberAt(content, member).publicKey);
  const verdict = verifyTransactionBytes(
    {
      wire,
      previousOutputs: concatBytes(...amounts.map((atoms) => previousOutputBytes(address, atoms))),
      owner: null,
      registeredKeys: profile === 'multisig_inline' ? new Uint8Array(0) : concatBytes(...signers),
    },
    manifest,
  );
  if (verdict.accepted) return wire;
  throw verdict.error;
}
