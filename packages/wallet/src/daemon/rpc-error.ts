/**
 * Errors as JSON-RPC answers them. `data` says the kind, whether repeating helps, and what to do.
 */
import { RPC_ERRORS, type RpcErrorKind } from 'svc-api/rpc';
import { WalletError } from '../base/wallet-error.ts';

export interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function errorBody(error: WalletError): RpcErrorBody {
  const { code, retry } = RPC_ERRORS[error.kind];
  return {
    code,
    message: error.message,
    data: {
      kind: error.kind,
      retry,
      hint: error.hint ?? RPC_ERRORS[error.kind].sentence,
      ...(error.path === undefined ? {} : { path: error.path }),
      ...error.details,
    },
  };
}

export function refusal(kind: RpcErrorKind, message: string, path?: string): WalletError {
  return new WalletError(kind, message, path === undefined ? {} : { path });
}
