/**
 * Every section of `docs/protocol.md` names the conformance digests of its encodings here. A new section fails this test until it
 * is listed, and so does a digest that belongs to no section.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readFrozen } from './frozen.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** Sections without digests define no bytes of their own, or only what is derived from the bytes of others. */
const DIGESTS: Readonly<Record<string, string>> = {
  '1': '',
  '1.1': '',
  '1.2': '',
  '2': 'manifest',
  '3': 'address',
  '4': '',
  '4.1': 'transaction_body',
  '4.2': 'transaction_body',
  '4.3':
    'witness_inline witness_referenced witness_multisig_inline witness_multisig_referenced witness_repeated',
  '4.4': 'transaction',
  '4.5': 'spend_message operation_message possession_message',
  '4.6': '',
  '4.7': '',
  '4.8': 'transaction_body multisig_descriptor',
  '5': 'package_multisig_inline package_multisig_referenced',
  '6': '',
  '6.1': 'block_header',
  '6.2': 'block_body',
  '7': '',
  '8': '',
  '8.1': 'cut_header',
  '8.2': 'cut_body',
  '8.3': 'vote signed_vote proposal signed_proposal certificate polka_certificate evidence',
  '8.4': 'validator_set',
  '8.5': 'trusted_set',
  '8.6':
    'summary polka_request precommits_request proposal_with_cut decision cut_request cut blocks_request block vote_report',
  '8.7': 'sign_state log_input',
  '8.8': 'list_proof ids_proof',
  '8.9': 'recovery',
  '9': '',
  '9.1': 'output_value',
  '9.2': 'state_root',
  '9.3': 'output_proof completeness_proof totals_proof',
  '9.4': 'position validator registered_key',
  '9.5': 'totals',
  '9.6': 'outcomes_proof changes_proof payout_id genesis genesis_document',
  '9.7': '',
  '9.8': '',
  '10': '',
  '10.1': 'amount',
  '10.2': 'payment_uri',
  '10.3': 'verification_words',
  '11': 'recovery_phrase',
  '12': 'wallet_file',
  '12.1': 'key_file',
  '13': 'address_proof address_proof_message',
  '14': 'service_answer',
  '15': '',
  '15.1': 'recipient_payloads',
  '15.2': 'messenger_payload',
  '16': '',
};

function digestsIn(name: string): string[] {
  const file = JSON.parse(readFileSync(new URL(`vectors/${name}.json`, ROOT), 'utf8'));
  return Object.keys((file as { types: object }).types);
}

test('every section of protocol.md names its digests', () => {
  const text = readFileSync(new URL('docs/protocol.md', ROOT), 'utf8');
  const sections = [...text.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number);
  assert.deepEqual(Object.keys(DIGESTS).sort(), sections.sort());
});

test('every digest belongs to a section, and every section has the digests that it names', () => {
  const named = Object.values(DIGESTS).flatMap((names) => names.split(' ').filter(Boolean));
  const digests = [
    ...Object.keys(readFrozen()),
    ...digestsIn('conformance-messages'),
    ...digestsIn('conformance-state'),
  ];
  assert.deepEqual([...new Set(named)].sort(), digests.sort());
});
