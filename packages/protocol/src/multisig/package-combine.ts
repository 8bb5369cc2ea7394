/**
 * Combines partial packages of several signers. They must be of one template: the same tag,
 * descriptor, body and amounts, all under the manifest that is given.
 */
import { expectByteList } from '../base/byte-list.ts';
import { equalBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { policyBytes } from './descriptor.ts';
import type { MultisigPackage } from './package-codec.ts';
import { encodePackage, templateDigest } from './package-codec.ts';
import { openPackage } from './package-open.ts';

const PACKAGES_MAX = 16;

function expectPackages(value: unknown): readonly Uint8Array[] {
  const path = 'packages';
  const packages = expectByteList(value, path);
  if (packages.length >= 1 && packages.length <= PACKAGES_MAX) return packages;
  const found = `expected 1 to ${PACKAGES_MAX} packages, found ${packages.length}`;
  throw new SvcError('bad_length', found, { path });
}

function expectSameTemplate(first: MultisigPackage, other: MultisigPackage, path: string): void {
  if (other.profile !== first.profile) {
    const found = `expected ${first.profile}, found ${other.profile}`;
    throw new SvcError('package_profile_mismatch', found, { path });
  }
  if (!equalBytes(policyBytes(other.descriptor), policyBytes(first.descriptor))) {
    throw new SvcError('package_descriptor_mismatch', 'is of another descriptor', { path });
  }
  if (!equalBytes(templateDigest(other), templateDigest(first))) {
    const found = 'carries another transaction or other input amounts';
    throw new SvcError('package_template_mismatch', found, { path });
  }
}

/**
 * Joins the signatures of all packages. Of more members than the threshold asks for, those with the
 * lowest index are kept.
 */
export function combineMultisigPackages(
  packages: readonly Uint8Array[],
  manifestJson: string,
): Uint8Array {
  const contents = expectPackages(packages).map(
    (bytes, i) => openPackage(bytes, manifestJson, `packages[${i}]`).content,
  );
  const first = contents[0] as MultisigPackage;
  const signatures = new Map<number, readonly Uint8Array[]>();
  for (const [i, content] of contents.entries()) {
    expectSameTemplate(first, content, `packages[${i}]`);
    for (const [member, list] of content.signatures) {
      if (!signatures.has(member)) signatures.set(member, list);
    }
  }
  const kept = [...signatures].sort(([a], [b]) => a - b).slice(0, first.descriptor.threshold);
  return encodePackage({ ...first, signatures: new Map(kept) });
}
