/**
 * The checks of recoveries, and that each broken rule of a recovery is noticed by one of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RECOVERY_CHECKS } from './recovery/recovery-checks.ts';
import { importMutated, type RuleMutant } from './testing/mutated.ts';

interface RecoveryMutant extends RuleMutant {
  /** The check that notices. */
  readonly check: string;
}

const MUTANTS: readonly RecoveryMutant[] = [
  {
    name: 'oldKeySeated',
    breaks: 'a member keeps its seat with the key of before',
    file: 'rules/recovery.ts',
    piece: 'publicKey: named.publicKey };',
    becomes: '};',
    check: 'seats',
  },
  {
    name: 'othersSeated',
    breaks: 'members that are not named keep their seats',
    file: 'rules/recovery.ts',
    piece: '...epochRecordOf(hash, epoch.epoch, members),',
    becomes: '...epochRecordOf(hash, epoch.epoch, [...epoch.members]),',
    check: 'seats',
  },
  {
    name: 'othersFree',
    breaks: 'members that are not named are not jailed',
    file: 'rules/recovery.ts',
    piece: 'jailedUntilEpoch: untilEpoch });',
    becomes: '});',
    check: 'jailed',
  },
  {
    name: 'jailOfOneEpoch',
    breaks: 'jail counts the running epoch',
    file: 'rules/recovery.ts',
    piece: 'epoch + 1 + JAIL_EPOCHS',
    becomes: 'epoch + JAIL_EPOCHS',
    check: 'jailed',
  },
  {
    name: 'namedJailed',
    breaks: 'named members are jailed too',
    file: 'rules/recovery.ts',
    piece: 'if (named.has(validatorId) || ',
    becomes: 'if (',
    check: 'jailed',
  },
  {
    name: 'newKeyFree',
    breaks: 'another validator may register the new key',
    file: 'rules/recovery.ts',
    piece: "state.put('keys', keyHash, { publicKey });",
    becomes: '',
    check: 'keys',
  },
  {
    name: 'pendingKept',
    breaks: 'a pending key replaces the new one at the end of the epoch',
    file: 'rules/recovery.ts',
    piece: ', pendingKey: null }',
    becomes: ' }',
    check: 'keys',
  },
  {
    name: 'windowsLost',
    breaks: 'windows before the recovery count as missed',
    file: 'rules/recovery.ts',
    piece: '(2 << window) - 1',
    becomes: '0',
    check: 'attendance',
  },
  {
    name: 'otherStake',
    breaks: 'a recovery chooses the stakes',
    file: 'rules/recovery.ts',
    piece: "if (seat.stake !== stake) return 'other_stake';",
    becomes: '',
    check: 'refusals',
  },
  {
    name: 'strangersNamed',
    breaks: 'a recovery names validators without a seat',
    file: 'rules/recovery.ts',
    piece: "if (seat === undefined) return 'unknown_member';",
    becomes: 'if (seat === undefined) continue;',
    check: 'refusals',
  },
  {
    name: 'exitedNamed',
    breaks: 'a recovery names validators that left or were removed',
    file: 'rules/recovery.ts',
    piece: "?.status !== 'active') return 'not_active';",
    becomes: "?.status === 'none') return 'not_active';",
    check: 'refusals',
  },
  {
    name: 'usedKeys',
    breaks: 'a recovery names keys of the chain',
    file: 'rules/recovery.ts',
    piece: "view.get('keys', keyHash) !== undefined",
    becomes: "view.get('keys', keyHash) === null",
    check: 'refusals',
  },
  {
    name: 'everyCutRecovered',
    breaks: 'a recovery applies to each later cut',
    file: 'rules/recovery.ts',
    piece: 'recovery.height === height',
    becomes: 'recovery.height <= height',
    check: 'height',
  },
  {
    name: 'setOfEpoch',
    breaks: 'the set of a recovery counts from the start of its epoch',
    file: 'parameters.ts',
    piece: 'return Math.max(epochStart(epochOf(height, interval), interval), ...before);',
    becomes: 'return epochStart(epochOf(height, interval), interval);',
    check: 'setStart',
  },
];

for (const [name, check] of Object.entries(RECOVERY_CHECKS))
  test(`a recovery passes the check ${name}`, check);

for (const mutant of MUTANTS)
  test(`mutant ${mutant.name} dies: ${mutant.breaks}`, async () => {
    type Checks = typeof import('./recovery/recovery-checks.ts');
    const { failedChecks } = await importMutated<Checks>(mutant, 'recovery/recovery-checks.ts');
    const failed = failedChecks();
    assert.ok(failed.includes(mutant.check), `failed: ${failed.join(', ') || 'none'}`);
  });
