/** `validators`. */
import { readPositions } from '../journal/makers/operation.ts';
import { reading } from '../node/node-fault.ts';
import type { Handler } from './handler.ts';
import { coinsOf, given } from './values.ts';

export const validators: Handler<'validators'> = async (wallet, { cursor, limit }) => {
  const { client } = wallet.node;
  const page = await reading(client.stakingValidators(given({ cursor, limit })));
  const own = new Set(
    (await readPositions(wallet.positionReader)).map(({ validator }) => validator),
  );
  return {
    epoch: page.epoch,
    finalized_height: page.finalized_height,
    validators: page.validators.map(({ validator, state, committee, stake, commission_bps }) => ({
      validator,
      state,
      committee,
      stake: coinsOf(BigInt(stake)),
      commission_bps,
      own: own.has(validator),
    })),
    ...given({ next_cursor: page.next_cursor }),
  };
};
