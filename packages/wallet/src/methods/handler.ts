/**
 * A method of the wallet: takes checked parameters and answers the contract's result.
 */
import type { MethodName, MethodParams, MethodResult } from 'svc-api/rpc';
import type { Wallet } from '../wallet.ts';

export type Handler<N extends MethodName> = (
  wallet: Wallet,
  params: MethodParams<N>,
) => MethodResult<N> | Promise<MethodResult<N>>;
