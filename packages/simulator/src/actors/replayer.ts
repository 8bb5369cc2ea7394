/**
 * Shows one honest validator again and again what it has heard, and the certificates that it holds: all of it true, and
 * known to everybody.
 */
import type { WireMessage } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import type { Behaviour } from './behaviour.ts';

const HEARD_MAX = 32;
const TIMES = 3;
const heard = new WeakMap<Node, WireMessage[]>();

export const replayer: Behaviour = {
  hears(node, message) {
    const known = heard.get(node) ?? [];
    heard.set(node, known);
    known.push(message);
    if (known.length > HEARD_MAX) known.shift();
  },
  mischief(node) {
    const peers = node.peers();
    if (peers.length === 0) return;
    const to = node.random.pick(peers);
    for (const message of [...(heard.get(node) ?? []), ...certificatesOf(node)])
      for (let time = 0; time < TIMES; time++) node.transmit(to, message);
  },
};

function certificatesOf({ state, disk }: Node): WireMessage[] {
  const decided = disk.chain.slice(-2).map(({ certificate }) => certificate);
  const { valid } = state.round;
  const polkas = valid === undefined ? [] : [valid.certificate];
  return [...decided, ...polkas, ...state.keeper.polkas];
}
