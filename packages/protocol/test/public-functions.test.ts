import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as svc from '../src/entry/node.ts';
import * as kernel from '../src/kernel/index.ts';
import { PUBLIC_CHECKS, runPublicChecks } from './public-functions/index.ts';

await svc.init();

for (const { functions, error } of runPublicChecks(svc, kernel)) {
  test(`public functions in Node: ${functions}`, () => assert.equal(error, undefined));
}

/** The specification's table of functions; those of the second list belong to the wallet root. */
const SPECIFIED = {
  module: [
    ...['validateManifest', 'encodeTransactionBody', 'inspectTransactionBody', 'transactionId'],
    ...['quoteTransaction', 'quoteTransactionWithInputProfiles', 'quoteTransactionWithWitnesses'],
    ...['spendMessage', 'operationMessage', 'possessionMessage', 'encodeWitness'],
    ...['encodeWitnessWithProfile', 'encodeMultisigInlineWitness', 'assembleTransaction'],
    ...['inspectTransaction', 'verifyTransaction', 'verifyTransactionWithReferencedKeys'],
    ...['createMultisigDescriptor', 'validateMultisigDescriptor', 'multisigAddress'],
    ...['createMultisigPackage', 'decodeMultisigPackage', 'reviewMultisigPackage'],
    ...['multisigPackageSigningMessages', 'addMultisigPackageSignatures'],
    ...['combineMultisigPackages', 'completeMultisigPackage', 'addressFromPublicKey'],
    ...['parseAddress', 'burnAddress', 'parsePaymentUri', 'parseAmount', 'formatAmount'],
    ...['encodeRecipientPayloads', 'decodeRecipientPayloads', 'messengerLimits'],
    ...['isMessengerPayload', 'mnemonicFromEntropy', 'mnemonicEntropy'],
    ...['addressVerificationWords', 'addressProofRequest', 'verifyAddressProof'],
    ...['sealWalletFile', 'openWalletFile', 'serviceIdentityForPublicKey'],
    ...['verifyServiceResponse'],
  ],
  walletRoot: [
    ...['messengerId', 'messengerRequest', 'messengerAccept', 'messengerMessage'],
    ...['messengerChats', 'fingerprint', 'derivePublicKey', 'sign', 'signPossession'],
    ...['proveAddress'],
  ],
};

/** What light clients need beyond that table. */
const BEYOND = [
  ...[
    'certifyCut',
    'certifyEarlierCuts',
    'checkCutChanges',
    'checkCutOutcomes',
    'verifyCutCertificate',
    'advanceValidatorSet',
  ],
  ...['checkUtxoProof', 'verifyUtxoProof'],
  ...['checkAddressCompleteness', 'verifyAddressCompleteness'],
];

test('every function of the specification is offered and checked', () => {
  const methods = Object.getOwnPropertyNames(svc.WalletRoot.prototype);
  const checked = PUBLIC_CHECKS.flatMap(({ functions }) => functions);
  assert.deepEqual(
    SPECIFIED.module.filter((name) => !Object.hasOwn(svc, name)),
    [],
  );
  assert.deepEqual(
    SPECIFIED.walletRoot.filter((name) => !methods.includes(name)),
    [],
  );
  const expected = [...SPECIFIED.module, ...SPECIFIED.walletRoot, ...BEYOND];
  assert.deepEqual(expected.sort(), checked.sort());
});
