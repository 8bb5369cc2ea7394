/** Messages, witnesses, whole transactions. */
import type { Kernel, PublicCheck, Svc } from './check.ts';
import { document, equal, hex, refuses } from './check.ts';
import type { Fixture } from './fixture.ts';
import { manifestOf, paymentRequest, withWallet } from './fixture.ts';

const AMOUNT = '700000000';

/** Body, message and previous output of a payment by the wallet's first address. */
function prepare(svc: Svc, kernel: Kernel, { addresses: [own = '', to = ''] }: Fixture) {
  const manifest = manifestOf(kernel);
  const body = svc.encodeTransactionBody(paymentRequest(to, own, '199000000'), manifest);
  const previous = { address: own, amount: AMOUNT };
  const message = svc.spendMessage(body, 0, JSON.stringify(previous), manifest);
  return { manifest, body, previous, message };
}

const payment: PublicCheck = {
  functions: [
    'spendMessage',
    'encodeWitness',
    'assembleTransaction',
    'inspectTransaction',
    'verifyTransaction',
  ],
  run: (svc, kernel) =>
    withWallet(svc, (wallet) => {
      const { manifest, body, previous, message } = prepare(svc, kernel, wallet);
      const signature = wallet.root.sign(0, 0, 0, message, true);
      const witness = svc.encodeWitness(wallet.publicKeys[0] as Uint8Array, signature);
      const wire = svc.assembleTransaction(body, [witness], manifest);
      const inspection = document(svc.inspectTransaction(wire, manifest));
      equal(inspection['transaction_id'], svc.transactionId(body, manifest), 'transaction id');
      const outputs = JSON.stringify([previous]);
      const verified = document(svc.verifyTransaction(wire, outputs, null, manifest));
      equal(verified['fee'], '1000000', 'fee');
      const lied = JSON.stringify([{ ...previous, amount: '700000001' }]);
      refuses(svc, 'bad_spend_signature', () => svc.verifyTransaction(wire, lied, null, manifest));
      wire[wire.length - 1000] = (wire[wire.length - 1000] as number) ^ 1;
      refuses(svc, 'bad_spend_signature', () =>
        svc.verifyTransaction(wire, outputs, null, manifest),
      );
      return [hex(message), JSON.stringify(verified)];
    }),
};

const referencedPayment: PublicCheck = {
  functions: ['encodeWitnessWithProfile', 'verifyTransactionWithReferencedKeys'],
  run: (svc, kernel) =>
    withWallet(svc, (wallet) => {
      const { manifest, body, previous, message } = prepare(svc, kernel, wallet);
      const signature = wallet.root.sign(0, 0, 0, message, true);
      const witness = svc.encodeWitnessWithProfile('referenced', null, signature);
      const wire = svc.assembleTransaction(body, [witness], manifest);
      const outputs = JSON.stringify([previous]);
      const [key, other] = wallet.publicKeys.map((publicKey) =>
        JSON.stringify([{ public_key_hex: hex(publicKey) }]),
      ) as [string, string];
      const verify = (keys: string) =>
        svc.verifyTransactionWithReferencedKeys(wire, outputs, null, keys, manifest);
      const verified = verify(key);
      refuses(svc, 'key_not_registered', () => verify(other));
      refuses(svc, 'key_not_registered', () =>
        svc.verifyTransaction(wire, outputs, null, manifest),
      );
      return [verified];
    }),
};

const operations: PublicCheck = {
  functions: ['operationMessage', 'possessionMessage'],
  run: (svc, kernel) =>
    withWallet(svc, ({ root, publicKeys, addresses: [own = ''] }) => {
      const manifest = manifestOf(kernel);
      const data = {
        owner_address: own,
        reward_address: own,
        amount: '100',
        commission_bps: '500',
        consensus_public_key_hex: hex(publicKeys[4] as Uint8Array),
        overlay_endpoint_hex: '00ff',
      };
      const request = JSON.parse(paymentRequest(own, own, '199000000')) as object;
      const body = svc.encodeTransactionBody(
        JSON.stringify({ ...request, operation: { type: 'validator_register', data } }),
        manifest,
      );
      const previous = JSON.stringify({ address: own, amount: AMOUNT });
      const messages = [
        svc.spendMessage(body, 0, previous, manifest),
        svc.operationMessage(body, manifest),
        svc.possessionMessage(body, manifest),
      ] as const;
      const witnesses = [true, false].map((spend, i) =>
        svc.encodeWitness(
          publicKeys[0] as Uint8Array,
          root.sign(0, 0, 0, messages[i] as Uint8Array, spend),
        ),
      );
      const possession = root.signPossession(0, 0, 4, messages[2]);
      const wire = svc.assembleTransaction(body, witnesses, manifest, possession);
      const verified = svc.verifyTransaction(wire, `[${previous}]`, own, manifest);
      const wrong = svc.assembleTransaction(
        body,
        witnesses,
        manifest,
        root.signPossession(0, 0, 3, messages[2]),
      );
      refuses(svc, 'bad_possession_signature', () =>
        svc.verifyTransaction(wrong, `[${previous}]`, own, manifest),
      );
      return [...messages.map(hex), verified];
    }),
};

export const authorizationChecks: readonly PublicCheck[] = [payment, referencedPayment, operations];
