/**
 * What one honest validator sends another and what reaches it is looked at, whatever others send. Looked at where
 * processes have turns: elsewhere nothing waits.
 */
import type { WireMessage } from 'svc-finality';
import type { Node } from '../node/node.ts';
import { setHeightOf } from '../world/packet.ts';
import type { Checker } from './checker.ts';

/** Turns, each with a slow disk, after which a message must have been looked at: the one under way, and those of a full inbox. */
const TURNS_MAX = 41;

interface Waiting {
  readonly life: number;
  /** When each message came. */
  readonly since: Map<WireMessage, number>;
}

export function honestHeard(): Checker {
  const all = new Map<Node, Waiting>();
  return {
    onReceived(world, node, { from, via, message }) {
      const { byzantine, turnMs, syncMsMax } = world.plan;
      if (byzantine.has(from) || byzantine.has(via) || node.isWaiting) return;
      const height = setHeightOf(message);
      if (height !== undefined && node.application.setAt(height) === undefined) return;
      let waiting = all.get(node);
      if (waiting?.life !== node.life) {
        waiting = { life: node.life, since: new Map() };
        all.set(node, waiting);
      }
      const { since } = waiting;
      for (const [other, cameAt] of since) {
        if (world.now - cameAt <= TURNS_MAX * (turnMs + syncMsMax)) break;
        world.fail(
          'honestHeard',
          `validator ${node.index} has not looked at a ${other.kind} that came ${world.now - cameAt} ms ago`,
        );
      }
      if (!since.has(message)) since.set(message, world.now);
    },
    onHeard(_world, node, message) {
      all.get(node)?.since.delete(message);
    },
  };
}
