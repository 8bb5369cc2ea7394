import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, B, proposal, vote } from '../../../test/machine/scenario.ts';
import type { SignedMessage, UnsignedMessage } from '../base/messages.ts';
import { height, NIL } from '../base/types.ts';
import type { Evidence, EvidenceFault, EvidencePorts } from './evidence.ts';
import { checkEvidence, createEvidence, evidenceAgeMax } from './evidence.ts';
import { acceptEvidence, forgetOldOffences } from './evidence-register.ts';

const signedBytes = (message: UnsignedMessage) =>
  new TextEncoder().encode(`${message.kind}${message.round}${message.validRound}${message.value}`);
const INTERVAL = 34_560;
const ports: EvidencePorts = {
  interval: INTERVAL,
  signedBytes,
  validatorAt: (_height, index) => (index < 4 ? `validator ${index}` : undefined),
  verify: () => true,
};
const pair = (first: SignedMessage, second: SignedMessage, kind: Evidence['kind'] = 'votes') => ({
  kind,
  first,
  second,
});
const good = pair(vote('prevote', 1, 2, A), vote('prevote', 1, 2, B));

const CASES: readonly [string, Evidence, number, EvidenceFault | undefined][] = [
  ['two prevotes for different cuts', good, 9, undefined],
  ['a cut and nil', pair(vote('precommit', 1, 0, A), vote('precommit', 1, 0, NIL)), 9, undefined],
  [
    'different valid rounds',
    pair(vote('prevote', 1, 2, A), vote('prevote', 1, 2, A, 0)),
    9,
    undefined,
  ],
  ['two proposals', pair(proposal(1, 0, A), proposal(1, 0, B), 'proposals'), 9, undefined],
  ['proposals called votes', pair(proposal(1, 0, A), proposal(1, 0, B)), 9, 'malformed'],
  ['votes called proposals', { ...good, kind: 'proposals' }, 9, 'malformed'],
  ['the same message twice', pair(good.first, good.first), 9, 'same_message'],
  [
    'the same bytes with two signatures',
    pair(good.first, { ...good.first, signature: new Uint8Array(9) }),
    9,
    'same_message',
  ],
  ['the larger message first', pair(good.second, good.first), 9, 'not_canonical'],
  ['two validators', pair(good.first, vote('prevote', 2, 2, B)), 9, 'different_positions'],
  ['two rounds', pair(good.first, vote('prevote', 1, 3, B)), 9, 'different_positions'],
  [
    'two kinds',
    pair(vote('precommit', 1, 2, A), vote('prevote', 1, 2, B)),
    9,
    'different_positions',
  ],
  [
    'two heights',
    pair(good.first, { ...good.second, height: height(6) }),
    9,
    'different_positions',
  ],
  [
    'a validator outside the set',
    pair(vote('prevote', 7, 2, A), vote('prevote', 7, 2, B)),
    9,
    'unknown_validator',
  ],
  ['a height that is to come', good, 4, 'too_new'],
  ['the oldest age', good, 5 + evidenceAgeMax(INTERVAL), undefined],
  ['an age beyond the oldest', good, 6 + evidenceAgeMax(INTERVAL), 'too_old'],
  [
    'a precommit with a valid round',
    pair({ ...vote('precommit', 1, 2, A), validRound: 0 as never }, vote('precommit', 1, 2, B)),
    9,
    'malformed',
  ],
];

for (const [description, evidence, chainHeight, fault] of CASES)
  test(`evidence of ${description}: ${fault ?? 'holds'}`, () => {
    assert.equal(checkEvidence(evidence, height(chainHeight), ports), fault);
  });

test('either bad signature breaks it', () => {
  for (const bad of [good.first, good.second]) {
    const verify = (message: SignedMessage) => message !== bad;
    assert.equal(checkEvidence(good, height(9), { ...ports, verify }), 'bad_signature');
  }
});

test('both orders of finding give the same evidence', () => {
  const { first, second } = good;
  const found = createEvidence({ first, second }, ports);
  assert.deepEqual(createEvidence({ first: second, second: first }, ports), found);
  assert.equal(checkEvidence(found, height(9), ports), undefined);
});

test('an offence is accepted once, whichever messages show it', () => {
  const once = acceptEvidence(new Map(), good, height(9), ports);
  assert.ok(once.type === 'accepted');
  assert.equal(once.validator, 'validator 1');
  const other = createEvidence({ first: vote('prevote', 1, 2, NIL), second: good.second }, ports);
  const again = acceptEvidence(once.register, other, height(9), ports);
  assert.deepEqual(again, { type: 'refused', reason: 'already_accepted' });
  const elsewhere = pair(vote('precommit', 1, 2, A), vote('precommit', 1, 2, B));
  assert.equal(acceptEvidence(once.register, elsewhere, height(9), ports).type, 'accepted');
});

test('an offence is remembered exactly as long as it could be reported', () => {
  const once = acceptEvidence(new Map(), good, height(9), ports);
  assert.ok(once.type === 'accepted');
  const oldest = height(5 + evidenceAgeMax(INTERVAL));
  assert.equal(forgetOldOffences(once.register, oldest, INTERVAL), once.register);
  assert.equal(forgetOldOffences(once.register, height(oldest + 1), INTERVAL).size, 0);
});
