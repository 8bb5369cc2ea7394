/**
 * Jail. A member of the committee that was present in fewer than nine of twelve windows has no seat
 * in the next two epochs. It loses no stake.
 */
import type { CutContext } from '../context.ts';
import { JAIL_EPOCHS } from '../parameters.ts';
import { isPresentEnough } from './attendance.ts';

export function jailAbsent(context: CutContext): void {
  const untilEpoch = context.epoch + 1 + JAIL_EPOCHS;
  context.epochRecord.members.forEach(({ validatorId }, index) => {
    const attendance = context.epochRecord.attendance[index];
    if (attendance !== undefined && isPresentEnough(attendance)) return;
    const validator = context.state.get('validators', validatorId);
    if (validator?.status !== 'active') return;
    context.state.put('validators', validatorId, { ...validator, jailedUntilEpoch: untilEpoch });
    context.events.validators.push({ type: 'jailed', validatorId, untilEpoch });
  });
}
