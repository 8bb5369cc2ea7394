import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { init } from 'svc-wasm';
import {
  closeRound,
  FIRST_ROOT,
  parsePayoutText,
  payoutText,
  type Round,
  type RoundTerms,
  roundFaults,
  roundRoot,
} from './round.ts';
import { readRoundDocument, roundDocument } from './round-document.ts';

const TERMS: RoundTerms = {
  number: 1,
  previousRoot: FIRST_ROOT,
  mode: 'pplns',
  blockId: 'ab'.repeat(48),
  reward: 1_000_000_007n,
  feeBasisPoints: 100n,
  carried: 3n,
  windowWork: 1_000n,
  fromHeight: 5,
  toHeight: 9,
};
const WINDOW = [
  { account: 'dsvc1bbbbbbbb', work: 7n },
  { account: 'dsvc1aaaaaaaa', work: 2n },
  { account: 'dsvc1bbbbbbbb', work: 4n },
  { account: 'dsvc1cccccccc', work: 1n },
];

await init();

function total({ entries, fee, leftover }: Round): bigint {
  return entries.reduce((sum, { atoms }) => sum + atoms, fee + leftover);
}

test('a round gives out the reward and what was carried, to the atom, in whatever mode', () => {
  const entry = fc.record({
    account: fc.constantFrom('dsvc1aaaaaaaa', 'dsvc1bbbbbbbb', 'dsvc1cccccccc'),
    work: fc.bigInt({ min: 1n, max: 1n << 70n }),
  });
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 20 }),
      fc.bigInt({ min: 0n, max: 10n ** 16n }),
      fc.bigInt({ min: 0n, max: 99n }),
      fc.constantFrom('pplns' as const, 'solo' as const),
      (window, reward, carried, mode) => {
        const windowWork = 1n << 80n;
        const round = closeRound({ ...TERMS, reward, carried, mode, windowWork }, window);
        assert.equal(total(round), reward + carried);
        assert.deepEqual(roundFaults(round), []);
        if (mode === 'solo') assert.ok(round.leftover >= carried, 'what was carried is passed on');
      },
    ),
  );
});

test('a round that was published is read back, and every change of it is found out', () => {
  const round = closeRound(TERMS, WINDOW);
  const root = roundRoot(round);
  const published = JSON.stringify(roundDocument(round, root));
  const read = readRoundDocument(JSON.parse(published));
  assert.deepEqual(read, { round, root });
  const [first, second, third] = round.entries;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const changed: Round[] = [
    { ...round, reward: round.reward + 1n },
    { ...round, fee: round.fee + 1n, leftover: round.leftover - 1n },
    { ...round, carried: round.carried + 1n, leftover: round.leftover + 1n },
    { ...round, blockId: 'cd'.repeat(48) },
    { ...round, previousRoot: 'ef'.repeat(48) },
    { ...round, entries: [second, first, third] },
    { ...round, entries: [first, second] },
    { ...round, entries: [{ ...first, atoms: first.atoms + 1n }, second, third] },
    { ...round, entries: [{ ...first, work: first.work + 1n }, second, third] },
    { ...round, toHeight: 10 },
  ];
  for (const other of changed) assert.notEqual(roundRoot(other), root);
  const unfair = changed.filter((other) => roundFaults(other).length > 0);
  assert.equal(unfair.length, 7, 'all that do not add up by themselves');
});

test('documents of strangers are refused field by field', () => {
  const round = closeRound(TERMS, WINDOW);
  const good = roundDocument(round, roundRoot(round));
  const broken: unknown[] = [
    null,
    { ...good, reward: '-1' },
    { ...good, reward: 12 },
    { ...good, mode: 'other' },
    { ...good, root: '<script>' },
    { ...good, round: 1.5 },
    { ...good, entries: [{ address: '<b>', work: '1', atoms: '1' }] },
    { ...good, window: {} },
  ];
  for (const document of broken) assert.throws(() => readRoundDocument(document), /cannot be read/);
});

test('the text of a payout names the round and its root, and nothing else is taken for one', () => {
  const root = 'ab'.repeat(48);
  assert.deepEqual(parsePayoutText(payoutText(12, root)), { round: 12, root });
  for (const text of ['', 'invoice 7', `svc-pool round 0 ${root}`, `svc-pool round 1 ${root}0`])
    assert.equal(parsePayoutText(text), undefined);
});
