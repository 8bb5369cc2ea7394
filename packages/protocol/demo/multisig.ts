/** Third part: an address that takes two of three keys, and a package that goes from hand to hand. */
import type { DescriptorDocument, PackageReview, TransactionVerification } from 'svc-wasm';
import {
  addMultisigPackageSignatures,
  combineMultisigPackages,
  completeMultisigPackage,
  createMultisigDescriptor,
  createMultisigPackage,
  encodeTransactionBody,
  formatAmount,
  multisigAddress,
  multisigPackageSigningMessages,
  reviewMultisigPackage,
  verifyTransaction,
} from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import { refusalOf } from './payment.ts';
import type { Screen } from './screen.ts';
import { short } from './screen.ts';
import type { DemoWallet } from './wallet.ts';

const NETWORK = 'development';
const SPENT = '500000000';

interface Vault {
  readonly descriptor: string;
  readonly address: string;
  readonly members: readonly string[];
}

function makeVault({ publicKeys }: DemoWallet): Vault {
  const descriptor = createMultisigDescriptor('2', JSON.stringify(publicKeys.map(toHex)));
  const { members } = JSON.parse(descriptor) as DescriptorDocument;
  return { descriptor, address: multisigAddress(descriptor, NETWORK), members };
}

function makePackage(vault: Vault, to: string, manifest: string): Uint8Array {
  const request = {
    valid_from_height: '1000',
    valid_until_height: '1100',
    fee: '1000000',
    inputs: [{ transaction_id: 'd1'.repeat(48), output_index: '2' }],
    outputs: [
      { address: to, amount: '120000000' },
      { address: vault.address, amount: '379000000' },
    ],
    payload_hex: '',
  };
  const body = encodeTransactionBody(JSON.stringify(request), manifest);
  return createMultisigPackage(vault.descriptor, body, JSON.stringify([SPENT]), manifest);
}

/** What one member does: sign what was reviewed and add the signatures. */
function signAs(
  { root, publicKeys }: DemoWallet,
  member: string,
  start: Uint8Array,
  digest: string,
  manifest: string,
): Uint8Array {
  const index = publicKeys.findIndex((key) => toHex(key) === member);
  const messages = multisigPackageSigningMessages(start, digest, manifest);
  const signatures = (JSON.parse(messages) as string[]).map((message) =>
    toHex(root.sign(0, 0, index, fromHex(message), true)),
  );
  const key = fromHex(member);
  return addMultisigPackageSignatures(start, key, JSON.stringify(signatures), manifest);
}

function showReview(screen: Screen, review: PackageReview): void {
  screen.facts([
    ...review.recipients.map(
      ({ address, amount, is_change }) =>
        [
          is_change ? 'comes back' : 'pays',
          `${formatAmount(amount)}  ${short(address, 16)}`,
        ] as const,
    ),
    ['fee', `${formatAmount(review.fee)}  (at least ${formatAmount(review.minimum_fee)})`],
    ['valid at', `heights ${review.valid_from_height} to ${review.valid_until_height}`],
    ['witnesses', review.witness_profile],
    ['digest', review.template_digest],
  ]);
}

export interface MultisigFacts {
  readonly address: string;
  readonly template_digest: string;
  readonly transaction_id: string;
  readonly other_digest_is_refused_with: string;
}

export function showMultisig(screen: Screen, wallet: DemoWallet, manifest: string): MultisigFacts {
  screen.title('3  Two of three');
  const vault = makeVault(wallet);
  screen.facts([['address', vault.address]]);
  screen.say('A package carries the payment from signer to signer. Each sees this before signing:');
  const start = makePackage(vault, wallet.addresses[1] ?? '', manifest);
  const review = JSON.parse(reviewMultisigPackage(start, manifest)) as PackageReview;
  showReview(screen, review);

  const digest = review.template_digest;
  const other = digest.startsWith('0') ? digest.replace('0', '1') : digest.replace(/./, '0');
  const code = refusalOf(() => multisigPackageSigningMessages(start, other, manifest));
  screen.done(`another digest than the one reviewed: refused with ${code}`);
  const partial = [vault.members[2], vault.members[0]].map((member = '') =>
    signAs(wallet, member, start, digest, manifest),
  );
  const combined = combineMultisigPackages(partial, manifest);
  const wire = completeMultisigPackage(combined, manifest);
  const previous = JSON.stringify([{ address: vault.address, amount: SPENT }]);
  const verified = JSON.parse(
    verifyTransaction(wire, previous, null, manifest),
  ) as TransactionVerification;
  screen.done(`members 2 and 0 signed; combined into ${wire.length} bytes and verified`);
  return {
    address: vault.address,
    template_digest: digest,
    transaction_id: verified.transaction_id,
    other_digest_is_refused_with: code,
  };
}
