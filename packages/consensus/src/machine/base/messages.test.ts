import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, commit, polka, vote } from '../../../test/machine/scenario.ts';
import { votesOf } from './certificate.ts';
import { withSignature } from './messages.ts';

const SIGNATURE = new Uint8Array([1]);

test('messages with their signatures have the same fields in the same order, wherever they come from', () => {
  const signed = withSignature(vote('prevote', 1, 0, A), SIGNATURE);
  const fields = Object.keys(signed);
  assert.equal(signed.signature, SIGNATURE);
  for (const other of [...votesOf(polka(0, A, [0, 1, 3])), ...votesOf(commit(0, A, [0, 1, 3]))])
    assert.deepEqual(Object.keys(other), fields);
});

test('what is no field of a message is not signed with it', () => {
  const more = { ...vote('precommit', 1, 0, A), note: 'of no meaning' };
  assert.equal('note' in withSignature(more, SIGNATURE), false);
});
