/**
 * The frozen vectors, met by the module and by a second reading of `docs/protocol.md` that shares no
 * code with it: OpenSSL's SHA-384, noble's ML-DSA, offsets counted by hand.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { decodeBlockBody } from '../../src/block/block-body.ts';
import { decodeBlockHeader } from '../../src/block/block-header.ts';
import { decodeWorkBlock } from '../../src/block/work-block.ts';
import { decodePolkaCertificate } from '../../src/cut/certificate.ts';
import { verifyCutCertificate } from '../../src/cut/certified-cut.ts';
import { decodeCutBody, evidenceRoot, registeredRoot } from '../../src/cut/cut-body.ts';
import { checkEvidence, decodeEvidence } from '../../src/cut/evidence.ts';
import { decodeProposal, verifyProposal } from '../../src/cut/proposal.ts';
import { decodeValidatorSet } from '../../src/cut/validator-set.ts';
import { checkPolkaCertificate } from '../../src/cut/verify-certificate.ts';
import { decodeVote, verifyVote } from '../../src/cut/vote.ts';
import { init } from '../../src/entry/node.ts';
import { parseManifest } from '../../src/manifest/manifest.ts';
import { checkCompletenessProof } from '../../src/state/completeness-proof.ts';
import { checkOutputProof } from '../../src/state/output-proof.ts';
import { DOCUMENTS, readVectors, textOf } from './documents.ts';

await init();

function hex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function hash(label: string, ...parts: readonly Uint8Array[]): string {
  const state = createHash('sha384').update(label, 'ascii');
  for (const part of parts) state.update(part);
  return state.digest('hex');
}

for (const [name, make] of Object.entries(DOCUMENTS)) {
  test(`${name} is what the code makes`, () => {
    assert.ok(readVectors(name) === textOf(make()), `${name} differs from what the code makes`);
  });
}

test('hashing: every label hashes as OpenSSL does, and none is a prefix of another', () => {
  const vectors = JSON.parse(readVectors('hashing.json'));
  const labels: string[] = vectors.labels.map(({ label }: { label: string }) => label);
  for (const { label, of_data, of_nothing } of vectors.labels) {
    assert.equal(hash(label, hex(vectors.data_hex)), of_data);
    assert.equal(hash(label), of_nothing);
    assert.deepEqual(
      labels.filter((other) => other.startsWith(label)),
      [label],
    );
  }
});

test('recoveries: the id and what members sign by OpenSSL, signatures by noble', () => {
  const { before, recovery, id, messages, validator_set_id } = JSON.parse(
    readVectors('recoveries.json'),
  );
  const { network, chain_id, height, cut_id, time_millis, members } = recovery;
  const idOf = (named: Record<string, string>[]) => {
    const seats = named.map((seat) => [
      seat['validator_id'],
      seat['stake'],
      seat['consensus_public_key'],
    ]);
    const content = [network, chain_id, height, cut_id, time_millis, seats];
    return hash('SVC_RECOVERY_V1', Buffer.from(JSON.stringify(content)));
  };
  assert.equal(idOf(members), id);
  assert.deepEqual(
    members.map((member: Record<string, string>) => idOf([member])),
    messages,
  );
  const bytes = hex(before);
  const context = Buffer.from('svc/recovery/v1');
  const encoded: Uint8Array[] = [Uint8Array.of(members.length)];
  for (const [index, member] of members.entries()) {
    const message = hex(messages[index]);
    const at = Buffer.from(bytes).indexOf(hex(member.validator_id));
    const oldKey = bytes.subarray(at + 48, at + 48 + 1_952);
    const newKey = hex(member.consensus_public_key);
    assert.ok(ml_dsa65.verify(hex(member.possession), message, newKey, { context }));
    assert.ok(ml_dsa65.verify(hex(member.consent), message, oldKey, { context }));
    const stake = new Uint8Array(8);
    new DataView(stake.buffer).setBigUint64(0, BigInt(member.stake), true);
    encoded.push(hex(member.validator_id), newKey, stake);
  }
  assert.equal(hash('SVC_SET_V1', ...encoded), validator_set_id);
});

test('work blocks: fields by their offsets, ids and roots by OpenSSL', () => {
  const { manifest, blocks } = JSON.parse(readVectors('work-blocks.json'));
  const parsed = parseManifest(JSON.stringify(manifest));
  for (const vector of blocks) {
    const header = hex(vector.header_hex);
    const body = hex(vector.body_hex);
    const { header: decoded } = decodeWorkBlock(header, body, parsed);
    assert.equal(text(decoded.id), vector.block_id);
    assert.equal(hash('SVC_BLOCK_V1', header), vector.block_id);
    assert.equal(hash('SVC_BODY_V1', body), vector.body_root);
    const count = Uint8Array.of(vector.parents.length);
    assert.equal(hash('SVC_PARENTS_V1', count, ...vector.parents.map(hex)), vector.parents_root);
    assert.equal(hash('SVC_PAYEE_V1', hex(vector.payout_hex)), vector.payout_commitment);
    assert.equal(vector.header_hex.slice(128, 224), vector.parents_root);
    assert.equal(vector.header_hex.slice(224, 320), vector.body_root);
    assert.equal(vector.header_hex.slice(320, 416), vector.payout_commitment);
    const view = new DataView(header.buffer);
    assert.equal(view.getBigUint64(8, true).toString(), vector.anchor_height);
    assert.equal(view.getBigUint64(240, true).toString(), vector.registration_window_end);
    assert.equal(text(decodeBlockHeader(header, parsed.chainId).bodyRoot), vector.body_root);
    const { transactions, mass } = decodeBlockBody(body, parsed);
    assert.deepEqual(
      transactions.map(({ id }) => text(id)),
      vector.transaction_ids,
    );
    assert.equal(mass.toString(), vector.mass);
  }
});

test('cuts: the certificate, the polka, the votes and the evidence hold', () => {
  const vectors = JSON.parse(readVectors('cuts.json'));
  const chainId = hex(vectors.chain_id);
  const set = decodeValidatorSet(hex(vectors.validator_set_hex));
  assert.equal(hash('SVC_SET_V1', hex(vectors.validator_set_hex)), vectors.validator_set_id);
  assert.equal(hash('SVC_CUT_V1', hex(vectors.header_hex)), vectors.cut_id);
  const header = hex(vectors.header_hex);
  const certificate = hex(vectors.certificate_hex);
  const verified = verifyCutCertificate(
    header,
    certificate,
    hex(vectors.validator_set_hex),
    chainId,
  );
  assert.equal(JSON.parse(verified).cut_id, vectors.cut_id);
  assert.equal(JSON.parse(verified).signed_stake, vectors.total_stake);
  const polka = decodePolkaCertificate(hex(vectors.polka_certificate_hex));
  assert.equal(checkPolkaCertificate(polka, set, chainId).toString(), vectors.total_stake);
  const body = decodeCutBody(hex(vectors.body_hex));
  assert.equal(text(registeredRoot(body.blockIds)), vectors.registered_root);
  assert.equal(text(evidenceRoot(body.evidence)), vectors.evidence_root);
  for (const evidence of vectors.evidence_hex) {
    checkEvidence(decodeEvidence(hex(evidence)), set, chainId);
  }
  for (const vote of vectors.votes) {
    assert.ok(verifyVote(decodeVote(hex(vote.vote_hex)), chainId, set));
  }
  assert.ok(verifyProposal(decodeProposal(hex(vectors.proposal_hex)), chainId, set));
});

test('cuts: noble accepts the signatures over the bytes that the document names', () => {
  const vectors = JSON.parse(readVectors('cuts.json'));
  const set = hex(vectors.validator_set_hex);
  const publicKey = (index: number) => set.subarray(1 + 2008 * index + 48, 1 + 2008 * index + 2000);
  const context = (name: string) => ({ context: Buffer.from(name, 'ascii') });
  for (const { vote_hex, sign_bytes_hex, validator_index } of vectors.votes) {
    const vote = hex(vote_hex);
    const signed = Buffer.concat([
      hex(vectors.chain_id),
      hex(vectors.validator_set_id),
      vote.subarray(0, 66),
    ]);
    assert.equal(text(signed), sign_bytes_hex);
    const key = publicKey(validator_index);
    assert.ok(ml_dsa65.verify(vote.subarray(116), signed, key, context('svc/vote/v1')));
  }
  const proposal = hex(vectors.proposal_hex);
  const signed = hex(vectors.proposal_sign_bytes_hex);
  assert.equal(text(signed.subarray(96)), text(proposal.subarray(0, 64)));
  const index = proposal[64] as number;
  const signature = proposal.subarray(114);
  assert.ok(ml_dsa65.verify(signature, signed, publicKey(index), context('svc/proposal/v1')));
});

test('state: keys and state root by OpenSSL, and every proof holds', () => {
  const vectors = JSON.parse(readVectors('state-proofs.json'));
  for (const { value_hex, tree_key } of vectors.outputs) {
    const value = hex(value_hex);
    const byAddress = hash('SVC_TREE_KEY_V1', value.subarray(52, 101)).slice(0, 64);
    const byOutpoint = hash('SVC_TREE_KEY_V1', value.subarray(0, 52)).slice(0, 64);
    assert.equal(tree_key, byAddress + byOutpoint);
  }
  const others = hex(vectors.other_roots_hex);
  const subtree = hex(vectors.outputs_subtree_hex);
  assert.equal(hash('SVC_STATE_V1', subtree, others), vectors.state_root);
  assert.equal(hash('SVC_STATE_V1', new Uint8Array(64), others), vectors.empty_state_root);
  const root = hex(vectors.state_root);
  vectors.output_proofs.forEach((proof: string, index: number) => {
    const { output } = checkOutputProof(hex(proof), root);
    assert.equal(output.amount.toString(), vectors.outputs[index].amount);
  });
  const { completeness, absence, absence_in_empty_tree: empty } = vectors;
  const check = ({ proof_hex, address_hex }: typeof absence, expected: Uint8Array) =>
    checkCompletenessProof(hex(proof_hex), expected, hex(address_hex));
  assert.equal(check(completeness, root).balance, 6n);
  assert.equal(check(absence, root).outputs.length, 0);
  assert.equal(check(empty, hex(vectors.empty_state_root)).outputs.length, 0);
});
