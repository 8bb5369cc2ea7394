/**
 * `svcd recovery verify`: whether a recovery fits the chain here, and what people compare before they follow it.
 */
import { CliError, columns, EXIT, note, result } from 'svc-base/cli';
import { type EpochRecord, SINGLE_KEY } from 'svc-ledger';
import type { Head, LedgerStore } from 'svc-storage';
import { formatAmount } from 'svc-wasm';
import { type ChainRecovery, recoveryWords, type ValidatorSet } from 'svc-wasm/protocol';
import { RecoveryRefusedError } from '../../chain/chain-errors.ts';
import { expectRecovery } from '../../chain/expect-recovery.ts';
import { setOfCommittee } from '../../chain/validator-sets.ts';
import { readRecoveryFile } from '../../config/recovery-files.ts';
import type { CommandOptions } from '../config-options.ts';
import { type ChainPlace, chainPlace, withStore } from '../store/open-store.ts';

export async function verifyRecovery(file: string, options: CommandOptions): Promise<void> {
  const place = await chainPlace(options);
  await showRecovery(place, readRecoveryFile(file));
}

/** Throws a `CliError` unless the recovery fits the last cut of the store; shows it otherwise. */
export async function showRecovery(place: ChainPlace, recovery: ChainRecovery): Promise<void> {
  const refused = (reason: string, hint?: string): CliError =>
    new CliError(EXIT.refused, reason, hint === undefined ? {} : { hint });
  if (recovery.chainId !== place.chainId)
    throw refused(`the recovery is of chain ${recovery.chainId}, the store of ${place.chainId}`);
  const { head, before } = await withStore(place, async (store) => {
    const found = headOf(store);
    const { height } = recovery;
    if (found.height !== height)
      throw refused(
        `the recovery is of cut ${height}, and the store here ends with cut ${found.height}`,
        found.height < height
          ? 'let the node sync without the recovery first: it stops at the last cut'
          : 'only a store that ends with the cut can tell; this chain has already continued',
      );
    expectRecovery(recovery, store.view, found.cutId);
    return { head: found, before: committeeOf(store) };
  }).catch((error: unknown) => {
    throw error instanceof RecoveryRefusedError ? refused(error.message) : error;
  });
  note(columns(recovery.members.map((member) => row(member, before))));
  note(
    `${recovery.members.length} of ${before.validators.length} validators agree, with ${shareOf(recovery.set.totalStake, before)} of the stake; the others are jailed`,
  );
  note(`cut ${head.height}: ${head.cutId}`);
  note(`state root ${head.stateRoot}`);
  note(`id in words: ${recoveryWords(recovery)}`);
  result(recovery.id);
}

export function headOf({ head }: LedgerStore): Head {
  if (head === null || head.height === 0)
    throw new CliError(
      EXIT.refused,
      'the store has no cuts yet: a chain that never began starts anew with another genesis',
    );
  return head;
}

/** The set that was to sign the cut after the head. */
export function committeeOf({ view }: LedgerStore): ValidatorSet {
  return setOfCommittee(view.get('epoch', SINGLE_KEY) as EpochRecord);
}

function row(
  { validatorId, stake }: ChainRecovery['members'][number],
  before: ValidatorSet,
): string[] {
  return [validatorId, `${formatAmount(String(stake))} coins`, shareOf(stake, before)];
}

function shareOf(stake: bigint, { totalStake }: ValidatorSet): string {
  const hundredths = (stake * 10_000n) / totalStake;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')} %`;
}
