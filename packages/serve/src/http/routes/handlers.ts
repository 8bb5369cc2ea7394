/**
 * The handler of every route of the table. A file has the handlers of one group, as in the contract.
 */
import type { RouteName } from 'svc-api';
import * as address from './address.ts';
import * as blocks from './blocks.ts';
import * as chain from './chain.ts';
import * as cuts from './cuts.ts';
import * as economics from './economics.ts';
import type { Handler } from './handler.ts';
import * as mempool from './mempool.ts';
import * as node from './node.ts';
import * as proofs from './proofs.ts';
import * as service from './service.ts';
import * as staking from './staking.ts';
import * as transactions from './transactions.ts';

export const HANDLERS: { readonly [Name in RouteName]: Handler<Name> } = {
  ...address,
  ...blocks,
  ...chain,
  ...cuts,
  ...economics,
  ...mempool,
  ...node,
  ...proofs,
  ...service,
  ...staking,
  ...transactions,
};
