/** The manifest, bodies and quotes. */
import type { PublicCheck } from './check.ts';
import { document, equal, hex, holds, refuses } from './check.ts';
import { CHAIN_ID, manifestOf, paymentRequest, withWallet } from './fixture.ts';

const manifests: PublicCheck = {
  functions: ['validateManifest'],
  run: (svc, kernel) => {
    const manifest = manifestOf(kernel);
    equal(svc.validateManifest(manifest), manifest, 'canonical manifest');
    const cheaper = manifest.replace('"min_fee_per_mass":"10"', '"min_fee_per_mass":"9"');
    refuses(svc, 'wrong_rules', () => svc.validateManifest(cheaper));
    refuses(svc, 'unknown_field', () => svc.validateManifest(manifest.replace('{', '{"x":1,')));
    return [String(document(manifest)['rules_id'])];
  },
};

const bodies: PublicCheck = {
  functions: ['encodeTransactionBody', 'inspectTransactionBody', 'transactionId'],
  run: (svc, kernel) =>
    withWallet(svc, ({ addresses: [own = '', to = ''] }) => {
      const manifest = manifestOf(kernel);
      const request = paymentRequest(to, own, '199000000');
      const body = svc.encodeTransactionBody(request, manifest);
      const { network, transaction_id, ...shown } = document(
        svc.inspectTransactionBody(body, manifest),
      );
      equal([network, shown], ['development', document(request)], 'inspection');
      equal(svc.transactionId(body, manifest), transaction_id, 'transaction id');
      const labelled = [...new TextEncoder().encode('SVC_TX_V1'), ...body];
      equal(hex(kernel.sha384(Uint8Array.from(labelled))), transaction_id, 'hash of the body');
      const elsewhere = manifestOf(kernel, CHAIN_ID.replaceAll('a', 'b'));
      refuses(svc, 'wrong_chain', () => svc.inspectTransactionBody(body, elsewhere));
      refuses(svc, 'trailing_bytes', () =>
        svc.inspectTransactionBody(Uint8Array.from([...body, 0]), manifest),
      );
      return [hex(body), String(transaction_id)];
    }),
};

const quotes: PublicCheck = {
  functions: [
    'quoteTransaction',
    'quoteTransactionWithInputProfiles',
    'quoteTransactionWithWitnesses',
  ],
  run: (svc, kernel) =>
    withWallet(svc, ({ publicKeys: [key], addresses: [own = '', to = ''] }) => {
      const manifest = manifestOf(kernel);
      const body = svc.encodeTransactionBody(paymentRequest(to, own, '199000000'), manifest);
      const quote = document(svc.quoteTransaction(body, manifest));
      const wireBytes = 1 + body.length + 1 + 1952 + 3309;
      const mass = wireBytes + 3000 + 2 * 500;
      equal(quote['wire_bytes'], String(wireBytes), 'wire bytes');
      equal(quote['mass'], String(mass), 'mass');
      equal(quote['minimum_fee'], String(10 * mass), 'minimum fee');
      const witness = svc.encodeWitness(key as Uint8Array, new Uint8Array(3309));
      const exact = svc.quoteTransactionWithWitnesses(body, [witness], manifest);
      equal(document(exact), quote, 'quote with witnesses');
      const profiles = JSON.stringify({ inputs: ['referenced'] });
      const referenced = document(svc.quoteTransactionWithInputProfiles(body, profiles, manifest));
      holds(Number(referenced['mass']) === mass - 1952, 'a referenced key weighs less');
      return [JSON.stringify(quote), JSON.stringify(referenced)];
    }),
};

export const bodyChecks: readonly PublicCheck[] = [manifests, bodies, quotes];
