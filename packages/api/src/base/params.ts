/**
 * The parameters in the paths of routes.
 */
import { strict } from './request.ts';
import { Address, Height, Identifier } from './scalars.ts';

export const AddressParams = strict({ address: Address });
export const HeightParams = strict({ height: Height });
export const IdParams = strict({ id: Identifier });
