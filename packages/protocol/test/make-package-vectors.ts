/**
 * Writes `vectors/multisig-packages.json`: packages of both tags without and with signatures, their
 * review, what is signed, and the transactions they end in. Keys come from seeds and signatures from
 * zero randomness, so every run writes the same bytes.
 */
import { writeFileSync } from 'node:fs';
import { toHex } from '../src/base/bytes.ts';
import * as svc from '../src/entry/node.ts';
import { POLICIES, PROFILES, packageOf, review, signedBy, vaultOf } from './multisig-fixture.ts';

await svc.init();

const NOTE =
  'Multisig packages of section 5 of docs/protocol.md, without and with signatures, what is reviewed and signed, and the transactions they end in; what must be refused is in packages-refused.json.';

const packages = POLICIES.map(({ threshold, members }, i) => {
  const vault = vaultOf(threshold, members);
  const start = packageOf(vault, PROFILES[i] as (typeof PROFILES)[number]);
  const signers = Array.from({ length: threshold }, (_, signer) => 2 * signer);
  const signed = signedBy(start, vault, ...signers);
  const digest = review(start, vault).template_digest;
  return {
    name: `${threshold} of ${members}, ${PROFILES[i]}`,
    descriptor: JSON.parse(vault.descriptor) as object,
    body_hex: toHex(vault.body),
    input_amounts: vault.amounts,
    package_hex: toHex(start),
    review: review(start, vault),
    signing_messages: JSON.parse(
      svc.multisigPackageSigningMessages(start, digest, vault.manifestJson),
    ) as string[],
    signers: signers.map(String),
    signed_package_hex: toHex(signed),
    wire_hex: toHex(svc.completeMultisigPackage(signed, vault.manifestJson)),
  };
});

const manifest = JSON.parse(vaultOf(2, 3).manifestJson) as object;
writeFileSync(
  new URL('../../../vectors/multisig-packages.json', import.meta.url),
  `${JSON.stringify({ note: NOTE, manifest, packages }, null, 2)}\n`,
);
