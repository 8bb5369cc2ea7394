/** Answers of servers that lie about a cut, a root, an output or an address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectRefused } from '../../test/testing/expect-refused.ts';
import { SAMPLE_ROOTS, sampleAddress, sampleOutputs } from '../../test/testing/outputs.ts';
import {
  CHAIN_ID,
  type Committee,
  sampleCommittee,
  sampleHeader,
  signHeader,
} from '../../test/testing/validators.ts';
import { toHex } from '../base/bytes.ts';
import { encodeCertificate } from '../cut/certificate.ts';
import { CertifiedCut, certifyCut } from '../cut/certified-cut.ts';
import { init } from '../entry/node.ts';
import { ReferenceTree } from '../testing/reference-tree.ts';
import { encodeAddress } from '../text/address.ts';
import { encodeCompletenessProof } from './completeness-proof.ts';
import { encodeOutputProof } from './output-proof.ts';
import type { Output } from './output-value.ts';
import {
  checkAddressCompleteness,
  checkUtxoProof,
  verifyAddressCompleteness,
  verifyUtxoProof,
} from './verify-proofs.ts';

await init();

const COMMITTEE = sampleCommittee(3n, 3n, 3n);
const STRANGERS = sampleCommittee(4n, 4n, 4n);
const OWN = sampleAddress('own');
const OUTPUTS = sampleOutputs(OWN, 2);
const TREE = new ReferenceTree(OUTPUTS, SAMPLE_ROOTS);
const OUTPUT = OUTPUTS.findLast(({ address }) => address === OWN) as Output;
const PROOF = encodeOutputProof(TREE.proveOutput(OUTPUT));
const COMPLETE = encodeCompletenessProof(TREE.proveCompleteness(OWN));
const ADDRESS = encodeAddress(OWN, 'development');
const ID = toHex(OUTPUT.transactionId);

function answer(stateRoot: Uint8Array, committee: Committee = COMMITTEE, signers = [0, 1, 2]) {
  const { header, certificate } = signHeader(
    committee,
    signers,
    sampleHeader(committee.set, { stateRoot }),
  );
  return { header, certificate: encodeCertificate(certificate) };
}

/** Checks an answer with the set that its receiver trusts. */
function certify({ header, certificate }: ReturnType<typeof answer>): CertifiedCut {
  return certifyCut(header, certificate, COMMITTEE.encodedSet, CHAIN_ID);
}

const CUT = certify(answer(TREE.stateRoot));

test('one call leads from a certificate to what the cut says', () => {
  assert.deepEqual(
    [CUT.height, CUT.time, CUT.stateRoot, CUT.signers],
    [1000n, 1_800_000_000_000n, toHex(TREE.stateRoot), [0, 1, 2]],
  );
  assert.equal(CUT.nextValidatorSetId, toHex(COMMITTEE.set.id));
  assert.equal(CUT.chainId, toHex(CHAIN_ID));
});

test('an output and the list of an address are proven against a certified cut', () => {
  const utxo = checkUtxoProof(PROOF, CUT, ID, OUTPUT.outputIndex, 'development');
  assert.deepEqual(utxo, {
    transactionId: ID,
    outputIndex: OUTPUT.outputIndex,
    address: ADDRESS,
    amount: 2n,
    addressBalance: 3n,
    addressOutputs: 2n,
  });
  const asked = JSON.stringify({ transaction_id: ID, output_index: String(OUTPUT.outputIndex) });
  assert.deepEqual(JSON.parse(verifyUtxoProof(PROOF, CUT, asked, 'development')), {
    transaction_id: ID,
    output_index: String(OUTPUT.outputIndex),
    address: ADDRESS,
    amount: '2',
    address_balance: '3',
    address_outputs: '2',
  });
  const { outputs, balance } = checkAddressCompleteness(COMPLETE, CUT, ADDRESS);
  assert.deepEqual([outputs.length, balance], [2, 3n]);
  const document = JSON.parse(verifyAddressCompleteness(COMPLETE, CUT, ADDRESS));
  assert.deepEqual(document.outputs.map(({ amount }: { amount: string }) => amount).sort(), [
    '1',
    '2',
  ]);
  assert.equal(document.balance, '3');
});

test('an invented state is not believed, with whatever signatures', () => {
  const invented = new ReferenceTree(sampleOutputs(OWN, 7), SAMPLE_ROOTS);
  const { header, certificate } = answer(invented.stateRoot, STRANGERS);
  expectRefused(() => certify({ header, certificate }), 'wrong_validator_set');
  expectRefused(() => certify(answer(invented.stateRoot, COMMITTEE, [0])), 'insufficient_stake');
  const honest = answer(TREE.stateRoot);
  const swapped = { header: answer(invented.stateRoot).header, certificate: honest.certificate };
  assert.throws(() => certify(swapped), 'a certificate of another header');
  const proof = encodeCompletenessProof(invented.proveCompleteness(OWN));
  expectRefused(() => checkAddressCompleteness(proof, CUT, ADDRESS), 'wrong_state_root');
});

test('a proof of something else than what was asked for is refused', () => {
  const asked = (id: string, index: number) => () =>
    checkUtxoProof(PROOF, CUT, id, index, 'development');
  expectRefused(asked(ID, OUTPUT.outputIndex + 1), 'bad_proof', 'proof');
  expectRefused(asked('11'.repeat(48), OUTPUT.outputIndex), 'bad_proof', 'proof');
  const other = encodeAddress(sampleAddress('other'), 'development');
  expectRefused(() => checkAddressCompleteness(COMPLETE, CUT, other), 'bad_proof');
  expectRefused(() => checkAddressCompleteness(COMPLETE, CUT, 'nonsense'), 'bad_address');
  expectRefused(
    () => checkUtxoProof(PROOF, CUT, ID, OUTPUT.outputIndex, 'moonnet'),
    'wrong_network',
  );
});

test('nothing but a certified cut is taken for one', () => {
  const { chainId, cutId, height, stateRoot } = CUT;
  const lookalike = { chainId, cutId, height, stateRoot };
  const impostors: unknown[] = [
    ...[TREE.stateRoot, CUT.stateRoot, lookalike, { ...CUT }, Object.create(CUT), null, undefined],
    Object.create(CertifiedCut.prototype),
    new Proxy(CUT, {}),
  ];
  for (const impostor of impostors) {
    const cut = impostor as CertifiedCut;
    expectRefused(() => checkAddressCompleteness(COMPLETE, cut, ADDRESS), 'bad_type', 'cut');
    expectRefused(
      () => checkUtxoProof(PROOF, cut, ID, OUTPUT.outputIndex, 'development'),
      'bad_type',
      'cut',
    );
  }
  assert.throws(() => Object.assign(CUT, { height: 5n }), TypeError);
});
