/** Multisig descriptors, witnesses and packages. */
import type { Kernel, PublicCheck, Svc } from './check.ts';
import { document, equal, hex, refuses, unhex } from './check.ts';
import type { Fixture } from './fixture.ts';
import { manifestOf, NETWORK, paymentRequest, withWallet } from './fixture.ts';

const AMOUNTS = JSON.stringify(['700000000']);

/** A 2-of-3 vault of the wallet's first keys, and a payment from it. */
function prepare(svc: Svc, kernel: Kernel, { publicKeys, addresses: [, , , to = ''] }: Fixture) {
  const manifest = manifestOf(kernel);
  const keys = publicKeys.slice(0, 3).map(hex);
  const descriptor = svc.createMultisigDescriptor('2', JSON.stringify(keys));
  const address = svc.multisigAddress(descriptor, NETWORK);
  const body = svc.encodeTransactionBody(paymentRequest(to, address, '199000000'), manifest);
  const members = document(descriptor)['members'] as string[];
  /** Where in the wallet the key of each member is. */
  const paths = members.map((key) => keys.indexOf(key));
  return { manifest, descriptor, address, body, members, paths };
}

const descriptors: PublicCheck = {
  functions: ['createMultisigDescriptor', 'validateMultisigDescriptor', 'multisigAddress'],
  run: (svc, kernel) =>
    withWallet(svc, (wallet) => {
      const { descriptor, address } = prepare(svc, kernel, wallet);
      equal(svc.validateMultisigDescriptor(descriptor), descriptor, 'canonical descriptor');
      equal(document(svc.parseAddress(address))['type'], 'multisig', 'type');
      const three = descriptor.replace('"threshold":"2"', '"threshold":"3"');
      refuses(svc, 'bad_policy', () => svc.validateMultisigDescriptor(three));
      return [address];
    }),
};

const witnesses: PublicCheck = {
  functions: ['encodeMultisigInlineWitness'],
  run: (svc, kernel) =>
    withWallet(svc, (wallet) => {
      const { manifest, descriptor, address, body, paths } = prepare(svc, kernel, wallet);
      const previous = { address, amount: '700000000' };
      const message = svc.spendMessage(body, 0, JSON.stringify(previous), manifest);
      const signatures = [0, 2].map((member) => ({
        member: String(member),
        signature_hex: hex(wallet.root.sign(0, 0, paths[member] as number, message, true)),
      }));
      const witness = svc.encodeMultisigInlineWitness(descriptor, JSON.stringify(signatures));
      const wire = svc.assembleTransaction(body, [witness], manifest);
      return [svc.verifyTransaction(wire, JSON.stringify([previous]), null, manifest)];
    }),
};

const packages: PublicCheck = {
  functions: [
    'createMultisigPackage',
    'decodeMultisigPackage',
    'reviewMultisigPackage',
    'multisigPackageSigningMessages',
    'addMultisigPackageSignatures',
    'combineMultisigPackages',
    'completeMultisigPackage',
  ],
  run: (svc, kernel) =>
    withWallet(svc, (wallet) => {
      const { manifest, descriptor, address, body, members, paths } = prepare(svc, kernel, wallet);
      const start = svc.createMultisigPackage(descriptor, body, AMOUNTS, manifest);
      equal(document(svc.decodeMultisigPackage(start))['format'], 'TRMSIGP1', 'tag');
      const review = svc.reviewMultisigPackage(start, manifest);
      const digest = String(document(review)['template_digest']);
      equal(document(review)['fee'], '1000000', 'fee');
      refuses(svc, 'wrong_digest', () =>
        svc.multisigPackageSigningMessages(start, digest.replaceAll('0', '1'), manifest),
      );
      const messages = svc.multisigPackageSigningMessages(start, digest, manifest);
      const partial = [2, 1].map((member) => {
        const signatures = (JSON.parse(messages) as string[]).map((message) =>
          hex(wallet.root.sign(0, 0, paths[member] as number, unhex(message), true)),
        );
        const key = unhex(members[member] as string);
        return svc.addMultisigPackageSignatures(start, key, JSON.stringify(signatures), manifest);
      });
      refuses(svc, 'package_incomplete', () =>
        svc.completeMultisigPackage(partial[0] as Uint8Array, manifest),
      );
      const combined = svc.combineMultisigPackages(partial, manifest);
      const wire = svc.completeMultisigPackage(combined, manifest);
      const previous = JSON.stringify([{ address, amount: '700000000' }]);
      return [hex(start), review, svc.verifyTransaction(wire, previous, null, manifest)];
    }),
};

export const multisigChecks: readonly PublicCheck[] = [descriptors, witnesses, packages];
