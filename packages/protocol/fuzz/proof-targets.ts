/**
 * Proofs about the state, checked against a certified cut. A proof that is accepted must say what is true: a lie that is
 * believed is a finding, as an exception is.
 */
import { toHex } from '../src/base/bytes.ts';
import { encodeCertificate } from '../src/cut/certificate.ts';
import { type CertifiedCut, certifyCut } from '../src/cut/certified-cut.ts';
import { encodeCompletenessProof } from '../src/state/completeness-proof.ts';
import { encodeOutputProof } from '../src/state/output-proof.ts';
import type { Output } from '../src/state/output-value.ts';
import { verifyAddressCompleteness, verifyUtxoProof } from '../src/state/verify-proofs.ts';
import { ReferenceTree } from '../src/testing/reference-tree.ts';
import { encodeAddress } from '../src/text/address.ts';
import { SAMPLE_ROOTS, sampleAddress, sampleOutputs } from '../test/testing/outputs.ts';
import { CHAIN_ID, sampleCommittee, sampleHeader, signHeader } from '../test/testing/validators.ts';
import type { Target } from './target.ts';
import { textTarget } from './text-targets.ts';

const NETWORK = 'development';
const COMMITTEE = sampleCommittee(3n, 3n, 3n);
const OWN = sampleAddress('own');
const OUTPUTS = sampleOutputs(OWN, 5);
const TREE = new ReferenceTree(OUTPUTS, SAMPLE_ROOTS);
const OUTPUT = OUTPUTS.findLast(({ address }) => address === OWN) as Output;
const ADDRESS = encodeAddress(OWN, NETWORK);
const STRANGER = encodeAddress(sampleAddress('a stranger'), NETWORK);
const PROOF = encodeOutputProof(TREE.proveOutput(OUTPUT));
const COMPLETE = encodeCompletenessProof(TREE.proveCompleteness(OWN));
const EMPTY = encodeCompletenessProof(TREE.proveCompleteness(sampleAddress('a stranger')));
const QUESTION = JSON.stringify({
  transaction_id: toHex(OUTPUT.transactionId),
  output_index: String(OUTPUT.outputIndex),
});
const { header, certificate } = signHeader(
  COMMITTEE,
  [0, 1, 2],
  sampleHeader(COMMITTEE.set, { stateRoot: TREE.stateRoot }),
);
const HEADER = header;
const CERTIFICATE = encodeCertificate(certificate);

function certified(from: Uint8Array): CertifiedCut {
  return certifyCut(from, CERTIFICATE, COMMITTEE.encodedSet, CHAIN_ID);
}
const CUT = certified(HEADER);
const TRUE_OUTPUT = verifyUtxoProof(PROOF, CUT, QUESTION, NETWORK);
const TRUE_LIST = verifyAddressCompleteness(COMPLETE, CUT, ADDRESS);
const TRUE_EMPTY = verifyAddressCompleteness(EMPTY, CUT, STRANGER);

function expectTrue(said: string, truth: string): void {
  if (said !== truth) throw new Error(`believed ${said}, and true is ${truth}`);
}

export const PROOF_TARGETS: readonly Target[] = [
  {
    name: 'utxo_proof_of_cut',
    share: 4,
    seeds: [PROOF],
    run: (input) => expectTrue(verifyUtxoProof(input, CUT, QUESTION, NETWORK), TRUE_OUTPUT),
  },
  {
    name: 'completeness_of_cut',
    share: 4,
    seeds: [COMPLETE],
    run: (input) => expectTrue(verifyAddressCompleteness(input, CUT, ADDRESS), TRUE_LIST),
  },
  {
    name: 'absence_of_cut',
    share: 4,
    seeds: [EMPTY],
    run: (input) => expectTrue(verifyAddressCompleteness(input, CUT, STRANGER), TRUE_EMPTY),
  },
  {
    name: 'header_to_state_root',
    share: 1,
    seeds: [HEADER],
    run: (input) =>
      expectTrue(verifyAddressCompleteness(COMPLETE, certified(input), ADDRESS), TRUE_LIST),
  },
  textTarget('utxo_question', 2, [QUESTION], (text) =>
    expectTrue(verifyUtxoProof(PROOF, CUT, text, NETWORK), TRUE_OUTPUT),
  ),
];
