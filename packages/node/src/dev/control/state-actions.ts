/**
 * Copies of the state. The node answers first, then stops and starts again on the same ports; it is back when
 * `GET /v1/dev` tells of the start that the answer names. A network in memory needs no start for a snapshot.
 */
import { Type } from 'typebox';
import { defineAction, type Outcome } from './action.ts';
import type { DevControl } from './dev-control.ts';

function restarting(
  network: DevControl,
  snapshot: string,
  afterwards: () => Promise<unknown>,
): Outcome {
  return { answer: { snapshot, starts: network.starts + 1 }, afterwards };
}

export const snapshot = defineAction({
  name: 'snapshot',
  summary: 'keeps a copy of the state under a name; the node restarts',
  fields: {},
  perform: async (network) => {
    const name = network.snapshots.newName();
    if (network.snapshots.disks !== undefined)
      return { answer: { snapshot: await network.snapshot(name), starts: network.starts } };
    return restarting(network, name, () => network.snapshot(name));
  },
});

export const revert = defineAction({
  name: 'revert',
  summary: 'brings the state of a snapshot back; the node restarts',
  fields: { snapshot: Type.String({ maxLength: 64 }) },
  perform: async (network, { snapshot: name }) => {
    network.snapshots.expect(name);
    return restarting(network, name, () => network.revert(name));
  },
});
