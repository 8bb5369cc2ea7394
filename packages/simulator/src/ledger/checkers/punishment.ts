/**
 * Evidence in a cut removes the validator it names, once, and burns the whole of its own bond; nobody
 * is removed without it, and nobody honest.
 */
import type { Identifier } from 'svc-ledger';
import type { Checker } from '../../checkers/checker.ts';
import type { LedgerLevel } from '../ledger-level.ts';

export function punishment(level: LedgerLevel): Checker {
  const removedAt = new Map<Identifier, number>();
  return {
    onDecision(world, node, { height, evidence }) {
      const { state, executions } = level.replicaOf(node);
      const { burns } = executions[height - 1]?.result.events ?? { burns: [] };
      const burned = burns.flatMap((burn) => (burn.cause === 'equivocation' ? [burn] : []));
      const accused = evidence.map(({ first }) => {
        const offender = world.chain.validatorAt(first.height, first.validatorIndex);
        return offender === undefined ? undefined : level.setting.roll.idOf(offender);
      });
      const names = burned.map(({ validatorId }) => validatorId);
      if (names.join() !== accused.join())
        world.fail(
          'punishment',
          `height ${height} accuses ${accused.join()} and punishes ${names.join()}`,
        );
      for (const { validatorId, amount } of burned) {
        const before = removedAt.get(validatorId) ?? height;
        removedAt.set(validatorId, before);
        const index = level.setting.roll.validatorOf(validatorId) ?? -1;
        const record = state.get('validators', validatorId);
        const keepsBond = state
          .records('positions')
          .some(([, { kind, validatorId: of }]) => kind === 'self_bond' && of === validatorId);
        if (before !== height) world.fail('punishment', `validator ${index} is punished twice`);
        if (!world.plan.byzantine.has(index))
          world.fail('punishment', `validator ${index} is honest and punished`);
        if (record?.status !== 'removed' || keepsBond)
          world.fail('punishment', `validator ${index} keeps its bond`);
        if (record?.removedHeight !== before || record.removalBurned !== amount)
          world.fail('punishment', `the state has another removal of validator ${index}`);
        if (amount < level.bondOf(index))
          world.fail('punishment', `validator ${index} loses ${amount} of ${level.bondOf(index)}`);
      }
    },
  };
}
