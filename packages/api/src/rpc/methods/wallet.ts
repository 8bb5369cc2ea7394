/**
 * Methods about the wallet as a whole.
 */
import { Type } from 'typebox';
import { Network } from '../../base/references.ts';
import { Millis } from '../../base/scalars.ts';
import { ADDRESS, ID, Recipient } from '../documents.ts';
import { methodsOf } from '../method.ts';
import {
  Coins,
  Cursor,
  described,
  Height,
  Identifier,
  NextCursor,
  PAGE_MAX,
  params,
} from '../scalars.ts';

const define = methodsOf('wallet');

export const GAP_MAX = 1_000_000;

const status = define({
  name: 'status',
  summary: 'State of the daemon, its node and its scan. Always answers at once.',
  params: params({}),
  result: Type.Object({
    version: Type.String(),
    network: Network,
    chain_id: Type.Union([Identifier, Type.Null()], {
      description: 'Null until a node was reached.',
    }),
    fingerprint: Type.String({
      description: 'Distinguishes wallets and says nothing of their keys.',
    }),
    node_url: Type.String(),
    node_reachable: Type.Boolean(),
    node_synced: Type.Boolean(),
    node_behind_by: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    node_height: Type.Union([Height, Type.Null()]),
    indexed_height: Height,
    indexed_cut_id: Type.Union([Identifier, Type.Null()], {
      description: 'The certified cut at the indexed height; null before the first one.',
    }),
    contradiction: Type.Union(
      [
        Type.Object({
          height: Height,
          own_cut_id: described(Identifier, 'The cut that this wallet has followed.'),
          node_cut_id: described(Identifier, 'The cut that the node has in its place.'),
          agreed_height: described(Height, 'Up to here both histories are known to be the same.'),
          found_at_millis: Millis,
        }),
        Type.Null(),
      ],
      {
        description:
          'Two certified histories: the daemon neither pays nor credits. Name a node of the own history with --service, or give it up with `rescan` and `accept_history`.',
      },
    ),
    recovering: Type.Boolean({
      description:
        'The state was older than its journal copy, and the chain has not been read since: nothing is paid.',
    }),
    scan: Type.Object({
      phase: Type.Union([
        Type.Literal('waiting_for_node'),
        Type.Literal('restoring'),
        Type.Literal('catching_up'),
        Type.Literal('following'),
      ]),
      done: Type.Integer({ minimum: 0 }),
      total: Type.Integer({ minimum: 0 }),
      percent: Type.Integer({ minimum: 0, maximum: 100 }),
      last_error: Type.Union([Type.String(), Type.Null()]),
    }),
    rescan: Type.Union(
      [
        Type.Object({
          done: Type.Integer({ minimum: 0, description: 'Addresses that were read again.' }),
          total: Type.Integer({ minimum: 0 }),
          last_error: Type.Union([Type.String(), Type.Null()]),
        }),
        Type.Null(),
      ],
      { description: 'How far history is read again beside normal work; null while it is not.' },
    ),
    addresses: Type.Integer({ minimum: 0, description: 'Addresses that were given out.' }),
    unpaid_addresses: Type.Integer({
      minimum: 0,
      description: 'Addresses that were given out after the last one that was paid.',
    }),
    gap: Type.Integer({
      minimum: 1,
      description: 'Addresses that a restored wallet looks at beyond the last one paid.',
    }),
    outputs: Type.Integer({ minimum: 0 }),
    balance: Coins,
    open_transactions: Type.Integer({ minimum: 0, description: 'Sent and not final.' }),
    request_id_mismatches: Type.Integer({ minimum: 0 }),
    confirmations: Type.Integer({ minimum: 1 }),
    auto_compound: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    auto_sweep_to: Type.Union([Type.String(), Type.Null()]),
    float: Type.Union(
      [
        Type.Object({
          count: Type.Integer({ minimum: 1, description: 'Outputs wanted.' }),
          amount: described(Coins, 'What each can pay beside the fee, in coins.'),
          free: Type.Integer({ minimum: 0, description: 'How many of them can be spent now.' }),
        }),
        Type.Null(),
      ],
      { description: 'The outputs that the daemon keeps ready, as `--float` says.' },
    ),
    uptime_seconds: Type.Integer({ minimum: 0 }),
  }),
  errors: [],
  example: {
    params: {},
    result: {
      version: '0.1.0',
      network: 'development',
      chain_id: ID,
      fingerprint: '5f3c0a9d12e4b678',
      node_url: 'http://127.0.0.1:28701',
      node_reachable: true,
      node_synced: true,
      node_behind_by: 0,
      node_height: 5122,
      indexed_height: 5122,
      indexed_cut_id: ID,
      contradiction: null,
      recovering: false,
      scan: { phase: 'following', done: 5122, total: 5122, percent: 100, last_error: null },
      rescan: null,
      addresses: 12,
      unpaid_addresses: 4,
      gap: 1000,
      outputs: 7,
      balance: '1250.00000000',
      open_transactions: 1,
      request_id_mismatches: 0,
      confirmations: 1,
      auto_compound: null,
      auto_sweep_to: null,
      float: { count: 100, amount: '50.00000000', free: 87 },
      uptime_seconds: 86400,
    },
  },
});

const balance = define({
  name: 'balance',
  summary: 'What the wallet holds, finally.',
  params: params({}),
  result: Type.Object({
    balance: Coins,
    available: described(Coins, 'What can be spent now, in coins.'),
    reserved: described(Coins, 'Held by transactions that are not final, in coins.'),
    incoming: described(Coins, 'Waiting in the mempool, in coins; not part of the balance.'),
    outputs: Type.Integer({ minimum: 0 }),
    indexed_height: Height,
  }),
  errors: [],
  example: {
    params: {},
    result: {
      balance: '1250.00000000',
      available: '1200.00000000',
      reserved: '50.00000000',
      incoming: '0.00000000',
      outputs: 7,
      indexed_height: 5122,
    },
  },
});

const pending = define({
  name: 'pending',
  summary: 'Transactions of this wallet whose outcome is open, oldest first.',
  params: params({
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_MAX,
        description: `Rows of a page; ${PAGE_MAX} unless given, at most ${PAGE_MAX}.`,
      }),
    ),
  }),
  result: Type.Object({
    transactions: Type.Array(
      Type.Object({
        transaction: Identifier,
        request_id: Type.String(),
        kind: Type.String(),
        state: Type.Union([
          Type.Literal('built'),
          Type.Literal('submitted'),
          Type.Literal('known'),
          Type.Literal('refused'),
        ]),
        amount: Coins,
        fee: Coins,
        recipients: Type.Array(Type.Union([Recipient, Type.Record(Type.String(), Type.Unknown())])),
        attempts: Type.Integer({ minimum: 0 }),
        valid_until_height: Height,
        created_at_millis: Millis,
      }),
    ),
    next_cursor: NextCursor,
  }),
  errors: [],
  example: {
    params: {},
    result: {
      transactions: [
        {
          transaction: ID,
          request_id: 'withdrawal-1042',
          kind: 'payment',
          state: 'known',
          amount: '1.25000000',
          fee: '0.00095640',
          recipients: [{ to: ADDRESS, amount: '1.25000000' }],
          attempts: 1,
          valid_until_height: 6562,
          created_at_millis: 1794721399052,
        },
      ],
    },
  },
});

const rescan = define({
  name: 'rescan',
  summary:
    'Reads the history of every address again beside normal work, with more addresses if a larger gap is given. With `accept_history` nothing is paid or credited until it was read.',
  params: params({
    gap: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: GAP_MAX,
        description: 'Addresses looked at beyond the last one used.',
      }),
    ),
    accept_history: Type.Optional(
      described(
        Identifier,
        'The `node_cut_id` of a contradiction: gives up the own history for the one of the node.',
      ),
    ),
  }),
  result: Type.Object({ started: Type.Literal(true), gap: Type.Integer({ minimum: 1 }) }),
  errors: ['other_history'],
  example: { params: { gap: 5000 }, result: { started: true, gap: 5000 } },
});

const backup = define({
  name: 'backup',
  summary:
    'Copies the state beside itself while the wallet works, in place of the copy before. It holds no keys.',
  params: params({}),
  result: Type.Object({
    file: Type.String({ description: 'Where the copy is, on the machine of the daemon.' }),
    bytes: Type.Integer({ minimum: 0 }),
    indexed_height: Height,
  }),
  extension: true,
  errors: [],
  example: {
    params: {},
    result: {
      file: '/var/lib/svc-wallet/hot.wallet.state.backup',
      bytes: 1_234_944,
      indexed_height: 5122,
    },
  },
});

export const WALLET_METHODS = {
  status,
  balance,
  pending,
  rescan,
  backup,
} as const;
