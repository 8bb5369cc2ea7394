/**
 * Two machine states are the same for the exploration when every further input has the same effect
 * on both. Left out are counters of the anti-entropy, which never runs here, the order in which equal
 * things arrived, who has been accused, and signatures.
 */
import type { FinalityState, Value } from 'svc-consensus/machine';
import { CUTS, NIL_CUT } from './universe.ts';

/** Beyond the explored rounds only what a validator has said and decided still matters. */
export function shortKey(state: FinalityState, sent: number, rounds: number): string {
  if (state.round.round < rounds) return nodeKey(state, sent);
  return `${state.context.self}/${sent}/${state.decided?.value}`;
}

const letter = (value: Value) => (value === null ? NIL_CUT : CUTS.indexOf(value));

export function nodeKey(state: FinalityState, sent: number): string {
  const { round, step, locked, valid } = state.round;
  const parts: (string | number)[] = [state.context.self ?? -1, round, step, sent];
  parts.push(locked === undefined ? '-' : `${locked.round}${letter(locked.value)}`);
  parts.push(valid === undefined ? '-' : `${valid.round}${letter(valid.value)}`);
  const { prevoteTimerSet, polkaSeen, precommitTimerSet } = state.round;
  parts.push(`${+prevoteTimerSet}${+polkaSeen}${+precommitTimerSet}${+state.fetching}`);
  parts.push(
    CUTS.filter((cut) => state.verdicts.has(cut))
      .map(letter)
      .join(''),
  );
  for (const certificate of [state.certified, state.decided])
    parts.push(
      certificate === undefined ? '-' : `${certificate.round}${letter(certificate.value)}`,
    );
  const { keeper } = state;
  const polkas = keeper.polkas.map((polka) => [polka.round, letter(polka.value), polka.validRound]);
  parts.push(polkas.map(String).sort().join(';'));
  for (const record of keeper.records) {
    parts.push(`r${record.round}`);
    for (const { proposal } of record.proposals)
      parts.push(`${letter(proposal.value)}${proposal.validRound}`);
    for (const table of [record.prevotes, record.precommits])
      parts.push(
        table.slots
          .map((vote) => (vote === undefined ? '.' : `${letter(vote.value)}${vote.validRound}`))
          .join(','),
      );
  }
  return parts.join('/');
}
