/**
 * Rules of rounds, timers, pace and attendance.
 */
import {
  type Bitmap,
  type FinalityState,
  isBitSet,
  type PeerMessage,
  type RoundTimer,
  type Row,
  roundTimerMs,
  type SignersClaim,
  step,
} from 'svc-consensus/machine';
import { HOLD_BACK_MILLIS } from 'svc-consensus/shell';
import type { Node } from '../node/node.ts';
import type { Checker, WatchedWorld } from './checker.ts';

/** Rounds only grow, and no validator is drawn into a round by Byzantine votes alone. */
export function rounds(): Checker {
  /** By height: the highest round any honest validator has entered. */
  const reached = new Map<number, number>();
  return {
    onStep(world, node, before, _input, { state, rows }) {
      const { height } = state.context;
      const { round } = state.round;
      if (before.context.height === height && before.round.round === round) return;
      const honest = reached.get(height) ?? -1;
      if (rows.includes(19) && !rows.includes(17) && round > honest)
        world.fail(
          'rounds',
          `validator ${node.index} was drawn to round ${round} of height ${height}`,
        );
      if (before.context.height === height && round < before.round.round)
        world.fail('rounds', `validator ${node.index} went back to round ${round}`);
      if (round > honest) reached.set(height, round);
    },
  };
}

const SETS: readonly (readonly [Row, RoundTimer])[] = [
  [11, 'prevote'],
  [16, 'precommit'],
];
const ACTS: readonly (readonly [Row, RoundTimer])[] = [
  [10, 'propose'],
  [15, 'prevote'],
  [18, 'precommit'],
];

interface Watch {
  readonly life: number;
  readonly since: Map<RoundTimer, number>;
}

/** No round ends early: a timer acts only after the whole wait of the round it was set in. */
export function timeouts(): Checker {
  const watches = new Map<Node, Watch>();
  return {
    onStep(world, node, before, input, { state, rows }) {
      if (rows.length === 0) return;
      const watch = watches.get(node);
      if (input.type === 'timer' && watch !== undefined && watch.life === node.life)
        for (const [row, timer] of ACTS) {
          const since = watch.since.get(timer);
          if (rows[0] !== row || since === undefined) continue;
          const waited = world.now - since;
          const due = roundTimerMs(world.protocol.rules.timing, timer, before.round.round);
          if (waited < due - 0.001)
            world.fail(
              'timeouts',
              `validator ${node.index}: row ${row} after ${waited} ms of ${due}`,
            );
        }
      watchRound(watches, node, before, state, world.now);
      for (const [row, timer] of SETS)
        if (rows.includes(row)) watches.get(node)?.since.set(timer, world.now);
    },
  };
}

/** A round that began before a restart has timers whose beginning is not known here. */
function watchRound(
  watches: Map<Node, Watch>,
  node: Node,
  before: FinalityState,
  after: FinalityState,
  now: number,
): void {
  const watch = watches.get(node);
  const isNew = before.context !== after.context || before.round.round !== after.round.round;
  if (!isNew && watch?.life === node.life) return;
  const since = new Map<RoundTimer, number>(isNew ? [['propose', now]] : []);
  watches.set(node, { life: node.life, since });
}

/**
 * What one cut may be late without any debt. With liars whose stake makes every honest vote needed,
 * a lock that only one validator knows of lasts until it is its turn to propose: once around. A validator that came back
 * late, from an absence or beside its twin, and is needed lets all wait while it holds back.
 */
function slackMs(world: WatchedWorld): number {
  const { timing } = world.protocol.rules;
  const rounds = world.plan.byzantine.size === 0 ? 3 : world.plan.validators + 1;
  const first = timing.proposeMs + 2 * timing.voteMs;
  const { lateReturn, staleTwin, copied } = world.plan;
  const mayHoldBack = [lateReturn, staleTwin, copied].some((mishap) => mishap !== undefined);
  const heldBack = mayHoldBack ? HOLD_BACK_MILLIS : 0;
  return heldBack + rounds * first + 3 * timing.perRoundMs * ((rounds * (rounds - 1)) / 2);
}

/** Cut times keep their distance always, and the pace comes back once the network has healed. */
export function pace(): Checker {
  const times = new Map<number, bigint>([[0, 0n]]);
  return {
    onDecision(world, _node, cut) {
      const { gapMs, paceMs } = world.protocol.rules.timing;
      const distance = cut.timeMs - (times.get(cut.height - 1) ?? cut.timeMs);
      if (distance < gapMs) world.fail('pace', `height ${cut.height} came after ${distance} ms`);
      if (cut.timeMs < paceMs * BigInt(cut.height))
        world.fail('pace', `height ${cut.height} came before it was due`);
      times.set(cut.height, cut.timeMs);
    },
    atEnd: checkReturn,
  };
}

/**
 * Fails a world that does not catch up with its pace once faults have ended. Worlds in which needed validators stay slow are
 * left out: every height there waits for rounds long enough for them.
 */
function checkReturn(world: WatchedWorld): void {
  if (world.plan.staysSlow) return;
  const { timing } = world.protocol.rules;
  const chain = world.honest[0]?.disk.chain ?? [];
  const healedAt = world.healedAtMs ?? world.now;
  const last = chain[chain.length - 1]?.cut;
  if (last === undefined || Number(last.timeMs) < healedAt) return;
  const since = chain.filter(({ cut }) => Number(cut.timeMs) >= healedAt).length;
  const debtAtHeal = Math.max(0, healedAt - Number(timing.paceMs) * (last.height - since));
  const repaid = since * Number(timing.paceMs - timing.gapMs);
  const debt = Number(last.timeMs) - Number(timing.paceMs) * last.height;
  if (debt > Math.max(0, debtAtHeal - repaid) + slackMs(world))
    world.fail('pace', `${debt} ms late ${since} cuts after healing, ${debtAtHeal} ms before`);
}

/** The attendance that nodes compute equals a recount from the cuts themselves. */
export function attendance(): Checker {
  return {
    atEnd(world) {
      const node = world.honest[0];
      if (node === undefined) return;
      const { chain } = node.disk;
      const { cuts, attendance: rule } = world.plan.epochs;
      const epochStart = Math.floor((chain.length - 1) / cuts) * cuts + 1;
      const members = world.chain.trueEpoch(epochStart).holders.length;
      for (let seat = 0; seat < members; seat++)
        for (let window = 0; window < rule.windows; window++) {
          let named = 0;
          for (const { cut } of chain) {
            const from = epochStart + window * rule.cutsPerWindow;
            const isInside = cut.height >= from && cut.height < from + rule.cutsPerWindow;
            if (isInside && cut.height > epochStart && isBitSet(cut.previousSigners, seat)) named++;
          }
          const counted = node.chainState.attendance.counts[window]?.[seat];
          if (counted !== named)
            world.fail('attendance', `seat ${seat}, window ${window}: ${counted}, not ${named}`);
        }
    },
  };
}

/**
 * What an honest proposer is about to claim of the cut before, every other honest validator at its height can get from
 * honest processes that are up, by the requests and answers that ship and whatever it has been sent before. Messages
 * in between are not lost here: loss costs time, and is the affair of liveness.
 */
export function claimsObtainable(): Checker {
  return {
    onEffect(world, node, effect) {
      if (effect.type !== 'buildCut' || effect.height === 1) return;
      const claim = { round: effect.previousRound, signers: effect.previousSigners };
      const others = world.honest.filter(
        (other) => other.up && !other.isWaiting && other.state.context.height === effect.height,
      );
      for (const asker of others) {
        if (asker === node || asker.state.decided !== undefined) continue;
        const missing = missingAfter(world, asker, others, claim);
        if (missing === 0n) continue;
        const what = `round ${claim.round} of height ${effect.height - 1}, signers ${missing}`;
        world.fail(
          'claimsObtainable',
          `validator ${asker.index} can never hold the precommits that ${node.index} claims: ${what}`,
        );
      }
    },
  };
}

/** The claimed precommits that a validator still lacks when all honest ones have answered its requests. */
function missingAfter(
  { protocol }: WatchedWorld,
  asker: Node,
  others: readonly Node[],
  claim: SignersClaim,
): Bitmap {
  let { state } = asker;
  const { height } = state.context;
  for (;;) {
    const verdict = protocol.checkPreviousSigners(state.previous, claim);
    if (verdict.type === 'invalid') return claim.signers;
    if (verdict.type === 'held') return 0n;
    const before = state;
    const { signers } = verdict;
    const request = {
      type: 'precommitsRequest',
      from: asker.seatAt(height),
      height: (height - 1) as typeof height,
      round: claim.round,
      signers,
    } as const;
    for (const other of others)
      for (const effect of step(other.state, request, protocol.rules).effects)
        if (effect.type === 'send') state = accepted(protocol, state, effect.message);
    if (state === before) return signers;
  }
}

/** The state of a validator that has asked for an answer, with the answer. */
function accepted(
  { admit, rules }: WatchedWorld['protocol'],
  state: FinalityState,
  message: PeerMessage,
): FinalityState {
  if (message.kind === 'commitCertificate')
    return step(state, { type: 'commitCertificate', certificate: message }, rules).state;
  if (message.kind !== 'precommit' || admit(state, message) !== 'verify') return state;
  return step(state, { type: 'vote', vote: message }, rules).state;
}
