/**
 * The same packet costs a process its check once if its signatures did not hold, and a few times if they did, however often
 * it comes again. A process that has restarted knows nothing of what came before.
 */
import type { WireMessage } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import type { Checker } from './checker.ts';

/** So many are remembered by a process; an older one may cost its check again. */
const REMEMBERED_MAX = 1_024;
/** The machine, the memory of votes, and the next height may each want a message that holds. */
const HELD_CHECKS_MAX = 3;

interface Checked {
  readonly life: number;
  readonly times: Map<WireMessage, number>;
}

export function verifiedOnce(): Checker {
  const all = new Map<Node, Checked>();
  return {
    onChecked(world, node, messages, verdicts) {
      let known = all.get(node);
      if (known?.life !== node.life) {
        known = { life: node.life, times: new Map() };
        all.set(node, known);
      }
      const { times } = known;
      for (const [place, message] of messages.entries()) {
        const holds = verdicts[place]?.holds === true;
        const count = (times.get(message) ?? 0) + 1;
        times.set(message, count);
        if (count > (holds ? HELD_CHECKS_MAX : 1))
          world.fail(
            'verifiedOnce',
            `validator ${node.index} checked the same ${holds ? 'true' : 'forged'} ${message.kind} ${count} times`,
          );
        const [oldest] = times.size > REMEMBERED_MAX ? times.keys() : [];
        if (oldest !== undefined) times.delete(oldest);
      }
    },
  };
}
