/**
 * Evidence never names an honest validator, and no offence is accepted twice.
 */
import type { Checker } from './checker.ts';

export function evidence(): Checker {
  const accepted = new Map<string, string>();
  return {
    onConflict(world, node, { first, second }) {
      const offender = world.chain.validatorAt(first.height, first.validatorIndex);
      if (offender === undefined || !world.plan.byzantine.has(offender))
        world.fail('evidence', `validator ${node.index} accuses ${offender}, who is honest`);
      if (first.validatorIndex !== second.validatorIndex)
        world.fail('evidence', 'the two messages are of two validators');
    },
    onDecision(world, _node, cut) {
      const inThisCut = new Set<string>();
      for (const { first } of cut.evidence) {
        const offender = world.chain.validatorAt(first.height, first.validatorIndex);
        const offence = `${offender}/${first.height}/${first.round}/${first.kind}`;
        const before = accepted.get(offence);
        const again = inThisCut.has(offence) || (before !== undefined && before !== cut.id);
        inThisCut.add(offence);
        if (again) world.fail('evidence', `offence ${offence} accepted in ${before} and ${cut.id}`);
        accepted.set(offence, cut.id);
        if (offender === undefined || !world.plan.byzantine.has(offender))
          world.fail('evidence', `the chain punishes ${offender}, who is honest`);
      }
    },
  };
}
