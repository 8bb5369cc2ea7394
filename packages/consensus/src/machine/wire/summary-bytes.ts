/**
 * Summaries as bytes; `docs/protocol.md` 8.6. They are not signed: the link identifies the sender, and a false one
 * costs it votes that it would have received.
 */
import { Reader, SvcError, Writer } from 'svc-wasm/base';
import { PROPOSALS_PER_ROUND_MAX, ROUND_MAX, SUMMARY_ROUNDS_MAX } from '../base/limits.ts';
import type { RoundSummary, Summary } from '../base/messages.ts';
import type { Round, Step } from '../base/types.ts';
import { NO_ROUND } from '../base/types.ts';
import { cutIdBytes, cutIdFrom, heightFrom, ID_BYTES, roundFrom } from './wire-context.ts';

const STEPS: readonly Step[] = ['unstarted', 'propose', 'prevote', 'precommit', 'decided'];
const ROUND_BYTES = 4 + 1 + 8 + 8;
export const SUMMARY_BYTES_MAX: number =
  8 + 4 + 1 + 1 + 4 + ID_BYTES + 1 + SUMMARY_ROUNDS_MAX * ROUND_BYTES;

export function encodeSummary(summary: Summary): Uint8Array {
  checkSummary(summary, 'summary');
  const { wantedPolka } = summary;
  const writer = new Writer(SUMMARY_BYTES_MAX)
    .u64(BigInt(summary.height))
    .i32(summary.round)
    .u8(STEPS.indexOf(summary.step))
    .u8(wantedPolka === undefined ? 0 : 1);
  if (wantedPolka !== undefined) writer.u32(wantedPolka.round).raw(cutIdBytes(wantedPolka.value));
  writer.varint(summary.rounds.length);
  for (const { round, proposals, prevotes, precommits } of summary.rounds)
    writer.u32(round).u8(proposals).u64(prevotes).u64(precommits);
  return writer.finish();
}

export function decodeSummary(bytes: Uint8Array, path = 'summary'): Summary {
  const reader = new Reader(bytes, path);
  const height = heightFrom(reader.u64(), `${path}.height`);
  const round = roundFrom(reader.i32());
  const step = STEPS[reader.u8()];
  if (step === undefined) throw refusal('bad_cut', 'expected a step from 0 to 4', `${path}.step`);
  const flag = reader.u8();
  if (flag > 1) throw refusal('not_canonical', `expected flag 0 or 1, found ${flag}`, path);
  const wantedPolka =
    flag === 0
      ? undefined
      : { round: roundFrom(reader.u32()), value: cutIdFrom(reader.raw(ID_BYTES)) };
  const rounds = readRounds(reader, path);
  reader.end();
  const summary: Summary = { kind: 'summary', height, round, step, rounds, wantedPolka };
  checkSummary(summary, path);
  return summary;
}

function readRounds(reader: Reader, path: string): RoundSummary[] {
  const count = reader.varint();
  if (count > SUMMARY_ROUNDS_MAX) {
    const message = `expected at most ${SUMMARY_ROUNDS_MAX} rounds, found ${count}`;
    throw refusal('out_of_range', message, `${path}.rounds`);
  }
  return Array.from({ length: count }, () => ({
    round: roundFrom(reader.u32()),
    proposals: reader.u8(),
    prevotes: reader.u64(),
    precommits: reader.u64(),
  }));
}

function checkSummary(summary: Summary, path: string): void {
  const { round, rounds, wantedPolka } = summary;
  if (round < NO_ROUND) throw refusal('out_of_range', `found round ${round}`, `${path}.round`);
  if (wantedPolka !== undefined) checkRound(wantedPolka.round, `${path}.wantedPolka.round`);
  let before: Round = NO_ROUND;
  for (const [index, entry] of rounds.entries()) {
    const at = `${path}.rounds[${index}]`;
    checkRound(entry.round, `${at}.round`);
    if (entry.round <= before)
      throw refusal('not_canonical', 'rounds must be strictly ascending', `${at}.round`);
    if (entry.proposals > PROPOSALS_PER_ROUND_MAX)
      throw refusal('out_of_range', `found ${entry.proposals} proposals`, `${at}.proposals`);
    before = entry.round;
  }
}

function checkRound(round: Round, path: string): void {
  if (round > ROUND_MAX)
    throw refusal('out_of_range', `expected at most ${ROUND_MAX}, found ${round}`, path);
}

type SummaryFault = 'bad_cut' | 'not_canonical' | 'out_of_range';

function refusal(code: SummaryFault, message: string, path: string): SvcError {
  return new SvcError(code, message, { path });
}
