/**
 * What one honest validator sends another and what reaches it is looked at, whatever others send, as long as the neighbour
 * that hands it over keeps to its share of the inbox: messages that a broken link held back come all at once, and neighbours
 * pass on floods here, which the gate of a real forwarder stops. Looked at where processes have turns: elsewhere nothing waits.
 */
import type { WireMessage } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import { setHeightOf } from '../world/packet.ts';
import type { Checker, WatchedWorld } from './checker.ts';

/** Batches of a full inbox, and the one under way. */
const TURNS_MAX = 9;

interface Waiting {
  readonly life: number;
  /** When each message came. */
  readonly since: Map<WireMessage, number>;
  /** When messages of an account came lately, also those that came before. */
  readonly arrivals: Map<string, number[]>;
}

export function honestHeard(): Checker {
  const all = new Map<Node, Waiting>();
  return {
    onReceived(world, node, { from, via, message }) {
      let waiting = all.get(node);
      if (waiting?.life !== node.life) {
        waiting = { life: node.life, since: new Map(), arrivals: new Map() };
        all.set(node, waiting);
      }
      const { arrivals, since } = waiting;
      const oldest = world.now - waitMsMax(world);
      const account = from === via ? `${from}` : `through ${via}`;
      const lately = (arrivals.get(account) ?? []).filter((cameAt) => cameAt >= oldest);
      lately.push(world.now);
      arrivals.set(account, lately);
      const { byzantine } = world.plan;
      if (byzantine.has(from) || byzantine.has(via) || node.isWaiting) return;
      const height = setHeightOf(message);
      if (height !== undefined && node.application.setAt(height) === undefined) return;
      for (const [other, cameAt] of since) {
        if (cameAt >= oldest) break;
        world.fail(
          'honestHeard',
          `validator ${node.index} has not looked at a ${other.kind} that came ${world.now - cameAt} ms ago`,
        );
      }
      if (lately.length <= shareOf(world) && !since.has(message)) since.set(message, world.now);
    },
    onHeard(_world, node, message) {
      all.get(node)?.since.delete(message);
    },
  };
}

/** A turn ends with a write to the disk. */
function waitMsMax({ plan }: WatchedWorld): number {
  return TURNS_MAX * (plan.turnMs + plan.syncMsMax);
}

/** Each validator has an account for its own messages, and one for what it passes on. */
function shareOf({ plan, protocol }: WatchedWorld): number {
  const validators = plan.stakes[0]?.length ?? 1;
  return Math.floor(protocol.inboxLimits.units / (2 * validators));
}
