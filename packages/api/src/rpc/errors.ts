/**
 * Every way in which the wallet daemon refuses a call: the specification's code, whether repeating helps, and a
 * sentence. Programs act on `code` and `retry`; `kind` is stable and names the cause.
 */
export type Retry = 'same_request_id' | 'later' | 'never';

export interface RpcErrorEntry {
  readonly code: number;
  readonly retry: Retry;
  readonly sentence: string;
}

export const RPC_ERRORS = {
  parse_error: { code: -32700, retry: 'never', sentence: 'The request is not JSON.' },
  invalid_request: {
    code: -32600,
    retry: 'never',
    sentence: 'The request is not a JSON-RPC 2.0 call with an object as params.',
  },
  unknown_method: { code: -32601, retry: 'never', sentence: 'There is no such method.' },
  invalid_params: {
    code: -32602,
    retry: 'never',
    sentence: 'A parameter is missing, unknown or of the wrong form.',
  },
  invalid_address: {
    code: -32602,
    retry: 'never',
    sentence: 'The address is malformed or belongs to another network.',
  },
  invalid_amount: {
    code: -32602,
    retry: 'never',
    sentence: 'The amount is not a decimal string of coins above zero with at most 8 decimals.',
  },
  internal: {
    code: -32603,
    retry: 'later',
    sentence: 'The daemon failed at this call; its log says why.',
  },

  node_unreachable: { code: -32001, retry: 'later', sentence: 'The node does not answer.' },
  node_busy: {
    code: -32001,
    retry: 'later',
    sentence: 'The node asks callers to wait.',
  },
  node_not_synced: {
    code: -32001,
    retry: 'later',
    sentence: 'The node or the wallet has not caught up with the chain.',
  },
  node_not_believed: {
    code: -32001,
    retry: 'later',
    sentence: 'What the node says is not signed by the validators that this wallet trusts.',
  },
  other_history: {
    code: -32001,
    retry: 'later',
    sentence:
      'The node serves another history than the one this wallet has followed; nothing is paid or credited until somebody decides.',
  },
  outcome_unknown: {
    code: -32002,
    retry: 'same_request_id',
    sentence: 'The transaction is made and may be paid; the daemon goes on sending it.',
  },
  wallet_busy: {
    code: -32003,
    retry: 'later',
    sentence: 'Another operation holds the wallet.',
  },
  busy: {
    code: -32003,
    retry: 'later',
    sentence:
      'Too many calls of this WebSocket are being carried out. Nothing was made of this one; repeat it when some of them were answered.',
  },
  rescanning: {
    code: -32003,
    retry: 'later',
    sentence: 'The wallet reads its history, or has to know more of it before it does this.',
  },
  recovering: {
    code: -32003,
    retry: 'later',
    sentence:
      'The state was restored from a backup; nothing is paid until the chain was read and, if the journal copy is old too, until --accept-state.',
  },
  node_refused: {
    code: -32004,
    retry: 'never',
    sentence: 'The node refused the transaction; it is never sent again.',
  },

  insufficient_funds: {
    code: -32000,
    retry: 'never',
    sentence: 'The spendable outputs do not cover the amount and the fee.',
  },
  too_many_inputs: {
    code: -32000,
    retry: 'never',
    sentence: 'The amount needs more outputs than one transaction can spend.',
  },
  amount_below_fee: {
    code: -32000,
    retry: 'never',
    sentence: 'The fee would leave nothing of the amount.',
  },
  fee_above_cap: {
    code: -32000,
    retry: 'never',
    sentence: 'The fee would exceed the most that this wallet pays.',
  },
  burn_address: {
    code: -32000,
    retry: 'never',
    sentence: 'A payment to the burn address is made with the method burn.',
  },
  change_address: {
    code: -32000,
    retry: 'never',
    sentence: "The address is one of this wallet's own for change and takes no payments.",
  },
  nothing_to_do: {
    code: -32000,
    retry: 'never',
    sentence: 'There are no outputs that the call could move.',
  },
  unknown_address: {
    code: -32000,
    retry: 'never',
    sentence: 'The address does not belong to this wallet.',
  },
  unknown_transaction: {
    code: -32000,
    retry: 'never',
    sentence: 'The transaction does not concern this wallet.',
  },
  unknown_request: {
    code: -32000,
    retry: 'never',
    sentence:
      'The wallet has recorded no request of this name; one that is still on its way may yet come.',
  },
  not_cancellable: {
    code: -32000,
    retry: 'never',
    sentence:
      'The payment cannot be cancelled: it is decided, too late, or not made of one transaction.',
  },
  unknown_position: {
    code: -32000,
    retry: 'never',
    sentence: 'No address of this wallet owns the position.',
  },
  wrong_chain: {
    code: -32000,
    retry: 'never',
    sentence: 'The node serves another chain than the one this wallet belongs to.',
  },
  not_offered: {
    code: -32000,
    retry: 'never',
    sentence: 'The node does not offer the read that the call needs.',
  },
  proof_refused: {
    code: -32000,
    retry: 'never',
    sentence: 'The proof does not answer the request.',
  },
  cannot_sign: {
    code: -32000,
    retry: 'never',
    sentence: 'The keys of this wallet are elsewhere, or one of them is not enough.',
  },
  fixed_addresses: {
    code: -32000,
    retry: 'never',
    sentence: 'The addresses of this wallet are fixed: it gives out no others.',
  },
  not_shared: {
    code: -32000,
    retry: 'never',
    sentence: 'The wallet belongs to one owner; the method is for shared wallets.',
  },
  package_refused: {
    code: -32000,
    retry: 'never',
    sentence: 'The package is not one that this wallet signs or sends.',
  },
  read_only: {
    code: -32000,
    retry: 'never',
    sentence: 'The token allows reading only.',
  },
  out_of_scope: {
    code: -32000,
    retry: 'never',
    sentence: 'The token does not have the scope that the method needs.',
  },
  token_revoked: {
    code: -32000,
    retry: 'same_request_id',
    sentence:
      'The token was revoked before the call was carried out. This call made nothing; what an earlier call of the same name made goes on. Repeat it with a valid token.',
  },
  other_budget: {
    code: -32000,
    retry: 'never',
    sentence: 'The payment counts against another budget than that of the token.',
  },
  payment_limit: {
    code: -32000,
    retry: 'never',
    sentence: 'The amount is above what the token may pay at once.',
  },
  day_limit: {
    code: -32000,
    retry: 'later',
    sentence: 'The payment is above what is left of what the token may spend in a day.',
  },
  not_allowlisted: {
    code: -32000,
    retry: 'never',
    sentence: 'The token may pay the addresses of its allowlist only.',
  },
  no_socket: {
    code: -32000,
    retry: 'never',
    sentence: 'Subscriptions live on the WebSocket at /v1/ws.',
  },
} as const satisfies Readonly<Record<string, RpcErrorEntry>>;

export type RpcErrorKind = keyof typeof RPC_ERRORS;
