/**
 * A packet whose signatures did not hold costs a process its check once, however often it comes again. A process that
 * has restarted knows nothing of what came before.
 */
import type { WireMessage } from 'svc-finality';
import type { Node } from '../node/node.ts';
import type { Checker } from './checker.ts';

/** So many are remembered by a process; an older one may cost its check again. */
const REMEMBERED_MAX = 1_024;

export function verifiedOnce(): Checker {
  const failed = new Map<Node, { readonly life: number; readonly packets: Set<WireMessage> }>();
  return {
    onChecked(world, node, messages, verdicts) {
      if (verdicts.every(({ holds }) => holds)) return;
      let known = failed.get(node);
      if (known?.life !== node.life) {
        known = { life: node.life, packets: new Set() };
        failed.set(node, known);
      }
      for (const [place, message] of messages.entries()) {
        if (verdicts[place]?.holds !== false) continue;
        if (known.packets.has(message))
          world.fail(
            'verifiedOnce',
            `validator ${node.index} checked a forged ${message.kind} twice`,
          );
        known.packets.add(message);
        const [oldest] = known.packets.size > REMEMBERED_MAX ? known.packets : [];
        if (oldest !== undefined) known.packets.delete(oldest);
      }
    },
  };
}
