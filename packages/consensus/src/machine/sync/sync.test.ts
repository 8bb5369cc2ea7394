import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commit } from '../../../test/machine/scenario.ts';
import type { CommitCertificate } from '../base/messages.ts';
import type { CutId } from '../base/types.ts';
import { height } from '../base/types.ts';
import { createValidatorSet } from '../base/validator-set.ts';
import type { HeaderLink } from './header-chain.ts';
import { checkHeaderChain, HEADERS_PER_REQUEST_MAX } from './header-chain.ts';
import type { NamedSet } from './light-client.ts';
import { checkLightStep } from './light-client.ts';

const trustingPeriodMs = 1_000_000n;
const yes = () => true;
const idOf = (at: number) => `${at}`.padStart(96, '0') as CutId;
const header = (at: number, change: Partial<HeaderLink> = {}): HeaderLink => ({
  id: idOf(at),
  height: height(at),
  parentId: idOf(at - 1),
  timeMs: 2500n * BigInt(at),
  validatorSetId: 'first',
  nextValidatorSetId: 'first',
  ...change,
});
const first = createValidatorSet('first', [1n, 1n, 1n, 1n]);
const certify = (at: number, signers = [0, 1, 2]): CommitCertificate => ({
  ...commit(0, idOf(at), signers),
  height: height(at),
});
const chain = [header(11), header(12), header(13)];
const replaced = (at: number, change: Partial<HeaderLink>) =>
  chain.map((link) => (link.height === at ? { ...link, ...change } : link));

const CHAINS: readonly [string, readonly HeaderLink[], CommitCertificate, string | undefined][] = [
  ['three linked headers and one certificate', chain, certify(13), undefined],
  ['no header', [], certify(13), 'empty'],
  ['a broken link', replaced(12, { parentId: idOf(10) }), certify(13), 'broken_link'],
  ['a height left out', replaced(12, { height: height(13) }), certify(13), 'broken_height'],
  ['a time that stands still', replaced(12, { timeMs: 27_500n }), certify(13), 'time_not_monotone'],
  [
    'a set that was not announced',
    replaced(12, { validatorSetId: 'other' }),
    certify(13),
    'unexpected_set',
  ],
  ['a certificate of another height', chain, certify(12), 'certificate_for_another_cut'],
  ['a certificate of too few', chain, certify(13, [0, 1]), 'no_quorum'],
  [
    'too many headers',
    Array.from({ length: HEADERS_PER_REQUEST_MAX + 1 }, (_, at) => header(11 + at)),
    certify(13),
    'too_long',
  ],
];
for (const [description, headers, certificate, fault] of CHAINS)
  test(`a chain with ${description}: ${fault ?? 'holds'}`, () => {
    assert.equal(checkHeaderChain(header(10), headers, certificate, first, yes), fault);
  });

test('the certificate is checked under the set that the links lead to', () => {
  const second = createValidatorSet('second', [1n]);
  const changing = [
    header(11, { nextValidatorSetId: 'second' }),
    header(12, { validatorSetId: 'second' }),
  ];
  assert.equal(checkHeaderChain(header(10), changing, certify(12), first, yes), 'unexpected_set');
  assert.equal(checkHeaderChain(header(10), changing, certify(12, [0]), second, yes), undefined);
});

const named = (set: typeof first, memberKeys: string[]): NamedSet => ({ set, memberKeys });
const trusted = { header: header(10), members: named(first, ['a', 'b', 'c', 'd']) };
const other = createValidatorSet('other', [1n, 1n, 1n, 1n]);
const target = (keys: string[], change: Partial<HeaderLink> = {}) => ({
  header: header(50, { validatorSetId: 'other', ...change }),
  members: named(other, keys),
});
const now = 130_000n;

const STEPS: readonly [
  string,
  ReturnType<typeof target>,
  CommitCertificate,
  bigint,
  string | undefined,
][] = [
  [
    'more than a third of the trusted stake signed',
    target(['a', 'b', 'x', 'y']),
    certify(50),
    now,
    undefined,
  ],
  [
    'exactly a quarter signed',
    target(['a', 'x', 'y', 'b']),
    certify(50),
    now,
    'too_little_overlap',
  ],
  [
    'old ids come with new keys',
    target(['a2', 'b2', 'c2', 'd2']),
    certify(50),
    now,
    'too_little_overlap',
  ],
  ['its own set did not sign', target(['a', 'b', 'c', 'd']), certify(50, [0, 1]), now, 'no_quorum'],
  [
    'the trust is too old',
    target(['a', 'b', 'c', 'd']),
    certify(50),
    25_000n + trustingPeriodMs,
    'trust_expired',
  ],
  [
    'the trust ends in a millisecond',
    target(['a', 'b', 'c', 'd']),
    certify(50),
    24_999n + trustingPeriodMs,
    undefined,
  ],
  [
    'it is not newer',
    target(['a', 'b', 'c', 'd'], { height: height(10) }),
    certify(50),
    now,
    'not_newer',
  ],
  [
    'its time is not newer',
    target(['a', 'b', 'c', 'd'], { timeMs: 25_000n }),
    certify(50),
    now,
    'not_newer',
  ],
  ['it is from the future', target(['a', 'b', 'c', 'd']), certify(50), 114_999n, 'from_the_future'],
  [
    'the set is not the named one',
    target(['a', 'b', 'c', 'd'], { validatorSetId: 'third' }),
    certify(50),
    now,
    'unexpected_set',
  ],
  [
    'the certificate is for another',
    target(['a', 'b', 'c', 'd']),
    certify(51),
    now,
    'certificate_for_another_cut',
  ],
];
for (const [description, to, certificate, nowMs, fault] of STEPS)
  test(`a light client where ${description}: ${fault ?? 'believes'}`, () => {
    assert.equal(checkLightStep(trusted, to, certificate, { nowMs, trustingPeriodMs }, yes), fault);
  });

test('the next header needs the set that was announced, and no overlap', () => {
  const announced = { ...trusted, header: header(49, { nextValidatorSetId: 'other' }) };
  const strangers = target(['w', 'x', 'y', 'z']);
  const clock = { nowMs: now, trustingPeriodMs };
  assert.equal(checkLightStep(announced, strangers, certify(50), clock, yes), undefined);
  const unannounced = { ...trusted, header: header(49) };
  assert.equal(checkLightStep(unannounced, strangers, certify(50), clock, yes), 'unexpected_set');
});
