/** `positions`. */
import { bondedOf, readPositions } from '../journal/makers/operation.ts';
import type { Handler } from './handler.ts';
import { coinsOf } from './values.ts';

export const positions: Handler<'positions'> = async (wallet) => ({
  positions: (await readPositions(wallet.positionReader)).map((position) => ({
    position: position.position,
    kind: position.kind,
    validator: position.validator,
    owner_address: position.owner_address,
    reward_address: position.reward_address,
    principal: coinsOf(BigInt(position.principal)),
    bonded: coinsOf(bondedOf(position)),
    unbonding: position.unbonding.map(({ amount, withdrawable_height }) => ({
      amount: coinsOf(BigInt(amount)),
      withdrawable_height,
    })),
    state: position.state,
  })),
});
