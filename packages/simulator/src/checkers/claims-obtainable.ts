/**
 * What an honest proposer is about to claim of the cut before, every other honest validator at its height can get from
 * honest processes that are up, by the requests and answers that ship and whatever it has been sent before. Messages
 * in between are not lost here: loss costs time, and is the affair of liveness.
 */
import type { Bitmap, FinalityState, PeerMessage, SignersClaim } from 'svc-consensus/machine';
import { step } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import type { Checker, WatchedWorld } from './checker.ts';

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
