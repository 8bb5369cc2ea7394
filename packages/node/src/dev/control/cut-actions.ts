/**
 * Cuts on demand.
 */
import { Type } from 'typebox';
import { defineAction } from './action.ts';

const CUTS_MAX = 10_000;
const EPOCHS_MAX = 64;
/** Ten years. */
const LEAP_MILLIS_MAX = 315_360_000_000;

export const mine = defineAction({
  name: 'mine',
  summary: 'makes cuts now and answers when they are final',
  fields: { cuts: Type.Integer({ minimum: 1, maximum: CUTS_MAX }) },
  perform: async (network, { cuts }) => ({
    answer: { finalized_height: await network.mine(cuts) },
  }),
});

export const advance = defineAction({
  name: 'advance',
  summary: 'makes cuts up to the first one of a later epoch and answers when it is final',
  fields: { epochs: Type.Integer({ minimum: 1, maximum: EPOCHS_MAX }) },
  perform: async (network, { epochs }) => ({
    answer: { finalized_height: await network.advanceEpochs(epochs) },
  }),
});

export const advanceTime = defineAction({
  name: 'advance_time',
  summary:
    'lets time pass without cuts, makes one cut at the later time and answers when it is final',
  fields: { millis: Type.Integer({ minimum: 1, maximum: LEAP_MILLIS_MAX }) },
  perform: async (network, { millis }) => ({
    answer: { finalized_height: await network.advanceTime(millis) },
  }),
});
