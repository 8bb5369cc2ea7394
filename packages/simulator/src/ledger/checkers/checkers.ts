/**
 * What must hold of the ledgers, made fresh for one world.
 */
import type { Checker } from '../../checkers/checker.ts';
import type { LedgerLevel } from '../ledger-level.ts';
import { conviction } from './conviction.ts';
import { execution } from './execution.ts';
import { lapses } from './lapses.ts';
import { punishment } from './punishment.ts';
import { rewards } from './rewards.ts';
import { stakePayments } from './stake-payments.ts';
import { stateRoots } from './state-roots.ts';
import { supply } from './supply.ts';

export function createLedgerCheckers(level: LedgerLevel): Checker[] {
  return [
    stateRoots(level),
    execution(level),
    rewards(level),
    punishment(level),
    conviction(level),
    supply(level),
    stakePayments(level),
    lapses(level),
  ];
}
