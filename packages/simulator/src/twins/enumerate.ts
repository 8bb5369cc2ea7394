/**
 * Runs schedules with twins, all or every so many, and adds up what came of them.
 */
import type { Failure } from '../base/failure.ts';
import { PROTOCOL, type Protocol } from '../world/protocol.ts';
import { runSchedule } from './run-schedule.ts';
import { type TwinsBounds, TwinsSchedules } from './schedule.ts';

export interface TwinsOptions extends TwinsBounds {
  /** The first schedule, and how many are passed over from one to the next. */
  readonly from?: number;
  readonly every?: number;
  readonly failuresMax?: number;
}

export interface TwinsTotals {
  /** All schedules within the bounds. */
  readonly count: number;
  ran: number;
  /** Schedules by the number of rounds that the disturbed height took. */
  readonly rounds: number[];
  convicted: number;
  readonly failures: { readonly number: number; readonly failure: Failure }[];
}

export function enumerateTwins(
  options: TwinsOptions,
  protocol: Protocol = PROTOCOL,
  onProgress: (totals: TwinsTotals) => void = () => {},
): TwinsTotals {
  const { from = 0, every = 1, failuresMax = 1 } = options;
  const schedules = new TwinsSchedules(options);
  const { count } = schedules;
  const totals: TwinsTotals = { count, ran: 0, rounds: [], convicted: 0, failures: [] };
  for (let number = from; number < count; number += every) {
    const result = runSchedule(options, schedules.at(number), protocol);
    totals.ran += 1;
    totals.rounds[result.rounds] = (totals.rounds[result.rounds] ?? 0) + 1;
    if (result.isConvicted) totals.convicted += 1;
    if (result.failure !== undefined) totals.failures.push({ number, failure: result.failure });
    onProgress(totals);
    if (totals.failures.length >= failuresMax) break;
  }
  return totals;
}
