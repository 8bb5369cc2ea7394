/**
 * Copies of the state. The node stops and starts again on the same ports for both, after it has answered.
 */
import { Type } from 'typebox';
import { defineAction } from './action.ts';

export const snapshot = defineAction({
  name: 'snapshot',
  summary: 'keeps a copy of the state under a name; the node restarts',
  fields: {},
  run: async (network) => {
    const name = network.newSnapshotName();
    return { answer: { snapshot: name }, afterwards: () => network.snapshot(name) };
  },
});

export const revert = defineAction({
  name: 'revert',
  summary: 'brings the state of a snapshot back; the node restarts',
  fields: { snapshot: Type.String({ maxLength: 64 }) },
  run: async (network, { snapshot: name }) => {
    network.expectSnapshot(name);
    return { answer: { snapshot: name }, afterwards: () => network.revert(name) };
  },
});
