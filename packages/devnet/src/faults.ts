/**
 * Things that go wrong on purpose, to try programs against.
 */
import type { DevNetwork } from 'svc-node/dev';
import type { DevnetFaults } from './devnet.ts';

export function faultsOf(network: DevNetwork): DevnetFaults {
  return {
    validators: () => network.node.seats.map(({ validatorId }) => validatorId),
    dropTransaction: (id) => network.node.composed.core.mempool.drop(id),
    pauseFinality: (on) => network.node.presence.pauseAll(on),
    lagEvents: (on) => network.node.composed.front.sockets.lagEvents(on),
    closeSockets: () => network.node.composed.front.sockets.closeAll(),
    equivocate: (place) => {
      const seat = network.node.seats[place];
      if (seat === undefined) throw new RangeError(`there is no validator at place ${place}`);
      seat.faults.equivocate();
    },
    missCuts: (place, cuts) => network.node.presence.missCuts(place, cuts),
  };
}
