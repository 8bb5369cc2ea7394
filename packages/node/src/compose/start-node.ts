/**
 * `svcd run`: a node as its configuration says, with the validator that it asks for.
 */
import { join } from 'node:path';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { isReplaced } from 'svc-consensus/shell';
import type { Relay } from 'svc-serve/ports';
import type { NodeConfig } from '../config/node-config.ts';
import { retireReplaced } from '../validator/validator-disk.ts';
import { type ComposedNode, composeNode, type NodeContext } from './composed-node.ts';
import { startNodeWithSigner } from './leased-seats.ts';
import type { NodeCore } from './node-core.ts';
import {
  mustWait,
  type OwnValidatorOptions,
  openOwnSeat,
  openWhenRegistered,
  readOwnKeys,
} from './own-validator.ts';
import { keysInForce, nextSeats } from './rotation.ts';
import type { Seat } from './seats.ts';

/** Keys are read first: what is refused about them is refused before anything is opened. */
export async function startNode(config: NodeConfig, context: NodeContext): Promise<ComposedNode> {
  const signer = config.validator?.signer ?? null;
  if (signer !== null) return startNodeWithSigner(config, context, signer);
  const keys = readOwnKeys(config);
  if (keys === null) return composeNode({ config, context, seats: () => [] });
  const { log, newSignState = false } = context;
  let wish: OwnValidatorOptions | undefined;
  let first: Seat | undefined;
  const wishFor = (core: NodeCore): OwnValidatorOptions => {
    if (wish !== undefined) return wish;
    const asked = { config, keys, core, newSignState, clock: SYSTEM_CLOCK, log };
    const { view } = core.chain;
    retireReplaced(join(config.dataDir, 'validator'), (keyHash) => isReplaced(view, { keyHash }));
    wish = { ...asked, keys: keysInForce(asked) };
    return wish;
  };
  return composeNode({
    config,
    context,
    seats: async (core, closing) => {
      const own = wishFor(core);
      if (mustWait(own)) return [];
      first = await openOwnSeat(own, closing);
      return [first];
    },
    isAwaited: (core) => first === undefined && mustWait(wishFor(core)),
    laterSeats: (core, relay, closing) => laterSeats(wishFor(core), first, relay, closing),
  });
}

/** The first seat, if the chain did not know its key before, and those of the keys that follow it. */
async function* laterSeats(
  wish: OwnValidatorOptions,
  taken: Seat | undefined,
  relay: Relay,
  closing: AsyncDisposableStack,
): AsyncGenerator<Seat> {
  const first = taken ?? (await openWhenRegistered(wish, relay, closing));
  if (taken === undefined) yield first;
  yield* nextSeats(wish, first, relay, closing);
}
