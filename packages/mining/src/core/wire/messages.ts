/**
 * The messages of the mining protocol, once for both forms: `svc-mining-v1` (JSON lines) and `svc-mining-v2`
 * (frames). The table is the contract: codecs, schemas and the reference document are made from it.
 */
import {
  bytes,
  choice,
  count,
  type FieldsOf,
  flag,
  group,
  jobNumber,
  type Kind,
  list,
  named,
  nonceBytes,
  optional,
  text,
} from './kinds.ts';
import {
  ADDRESS_CHARACTERS_MAX,
  AGENT_CHARACTERS_MAX,
  CHAIN_ID_BYTES,
  HEADER_BYTES,
  NONCE_BYTES,
  NONCE_FREE_BYTES,
  NONCE_PREFIX_BYTES,
  PASSWORD_CHARACTERS_MAX,
  REASON_CHARACTERS_MAX,
  SEED_BYTES,
  SESSION_BYTES,
  SHOWN_CHARACTERS_MAX,
  TARGET_BYTES,
  USERNAME_CHARACTERS_MAX,
  WORKER_CHARACTERS_MAX,
} from './limits.ts';

export const PROTOCOLS = ['svc-mining-v1', 'svc-mining-v2'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** What became of a share that met the block target. */
export const BLOCK_RESULTS = ['accepted', 'known', 'late', 'used', 'refused', 'unknown'] as const;
export type BlockResult = (typeof BLOCK_RESULTS)[number];

const NETWORK_NAMES = ['mainnet', 'testnet', 'testnet100', 'development'] as const;
/** Longer than a tag may be, so that a bad tag is refused by its own name and not as a bad message. */
const TAG_CHARACTERS_SENT_MAX = 64;

const pow = group({
  cacheItems: count,
  datasetPages: count,
  period: count,
  seed: bytes(SEED_BYTES),
  nextSeed: bytes(SEED_BYTES),
});

const REQUESTS = {
  subscribe: {
    code: 0x01,
    method: 'mining.subscribe',
    fields: {
      agent: text(AGENT_CHARACTERS_MAX),
      tag: optional(text(TAG_CHARACTERS_SENT_MAX)),
      protocol: optional(text(AGENT_CHARACTERS_MAX)),
      resume: optional(bytes(SESSION_BYTES)),
    },
  },
  authorize: {
    code: 0x02,
    method: 'mining.authorize',
    fields: {
      username: text(USERNAME_CHARACTERS_MAX),
      password: optional(text(PASSWORD_CHARACTERS_MAX)),
    },
  },
  submit: {
    code: 0x03,
    method: 'mining.submit',
    fields: {
      job: named('job_id', jobNumber),
      nonce: named('nonce_hex', nonceBytes(NONCE_BYTES, NONCE_FREE_BYTES)),
    },
  },
} as const;

const ANSWERS = {
  subscribed: {
    code: 0x41,
    method: 'mining.subscribe',
    fields: {
      session: bytes(SESSION_BYTES),
      noncePrefix: bytes(NONCE_PREFIX_BYTES),
      network: choice(NETWORK_NAMES),
      chainId: bytes(CHAIN_ID_BYTES),
      pow,
      poolAddress: optional(text(ADDRESS_CHARACTERS_MAX)),
      protocolVersions: list(choice(PROTOCOLS), 4),
      isResumed: named('resumed', flag),
    },
  },
  authorized: {
    code: 0x42,
    method: 'mining.authorize',
    fields: {
      accepted: flag,
      address: text(ADDRESS_CHARACTERS_MAX),
      worker: text(WORKER_CHARACTERS_MAX),
    },
  },
  submitted: {
    code: 0x43,
    method: 'mining.submit',
    fields: {
      accepted: flag,
      block: optional(choice(BLOCK_RESULTS)),
      blockReason: optional(text(REASON_CHARACTERS_MAX)),
    },
  },
} as const;

const NOTICES = {
  notify: {
    code: 0x81,
    method: 'mining.notify',
    fields: {
      job: named('job_id', jobNumber),
      header: named('header_hex', bytes(HEADER_BYTES)),
      blockTarget: bytes(TARGET_BYTES),
      shareTarget: bytes(TARGET_BYTES),
      height: count,
      anchorHeight: count,
      expiresHeight: count,
      period: count,
      isClean: named('clean', flag),
    },
  },
  setTarget: {
    code: 0x82,
    method: 'mining.set_target',
    fields: { shareTarget: bytes(TARGET_BYTES), isNow: named('now', flag) },
  },
  period: {
    code: 0x83,
    method: 'mining.period',
    fields: { period: count, seed: bytes(SEED_BYTES), startsHeight: count },
  },
  show: {
    code: 0x84,
    method: 'client.show',
    fields: { text: text(SHOWN_CHARACTERS_MAX) },
  },
  reconnect: {
    code: 0x85,
    method: 'client.reconnect',
    fields: { address: text(SHOWN_CHARACTERS_MAX) },
  },
} as const;

/** The answer that refuses a request; its form in JSON is the error object of JSON-RPC. */
export const REFUSED_CODE = 0x4f;

interface Entry<F> {
  readonly code: number;
  readonly method: string;
  readonly fields: F;
}

type Requests = {
  [T in keyof typeof REQUESTS]: { readonly type: T; readonly id: number } & FieldsOf<
    (typeof REQUESTS)[T]['fields']
  >;
};
type Answers = {
  [T in keyof typeof ANSWERS]: { readonly type: T; readonly id: number } & FieldsOf<
    (typeof ANSWERS)[T]['fields']
  >;
};
type Notices = {
  [T in keyof typeof NOTICES]: { readonly type: T } & FieldsOf<(typeof NOTICES)[T]['fields']>;
};

export interface Refused {
  readonly type: 'refused';
  /** Absent when the server could not read the request. */
  readonly id?: number;
  /** A number of `REFUSALS`; a later release may know more. */
  readonly code: number;
  readonly message: string;
}

export type ClientMessage = Requests[keyof Requests];
export type ServerMessage = Answers[keyof Answers] | Notices[keyof Notices] | Refused;
export type Message = ClientMessage | ServerMessage;
export type Subscribe = Requests['subscribe'];
export type Authorize = Requests['authorize'];
export type Submit = Requests['submit'];
export type Subscribed = Answers['subscribed'];
export type Authorized = Answers['authorized'];
export type Submitted = Answers['submitted'];
export type Notify = Notices['notify'];

export interface MessageKind {
  readonly type: Exclude<Message['type'], 'refused'>;
  readonly role: 'request' | 'answer' | 'notice';
  /** The byte that names it in a frame. */
  readonly code: number;
  readonly method: string;
  readonly fields: Kind<Record<string, unknown>>;
}

function entriesOf(
  role: MessageKind['role'],
  table: Readonly<Record<string, Entry<object>>>,
): MessageKind[] {
  return Object.entries(table).map(([type, { code, method, fields }]) => ({
    type: type as MessageKind['type'],
    role,
    code,
    method,
    fields: group(fields as never) as unknown as Kind<Record<string, unknown>>,
  }));
}

export const MESSAGE_KINDS: readonly MessageKind[] = [
  ...entriesOf('request', REQUESTS),
  ...entriesOf('answer', ANSWERS),
  ...entriesOf('notice', NOTICES),
];

const BY_TYPE: ReadonlyMap<string, MessageKind> = new Map(
  MESSAGE_KINDS.map((kind) => [kind.type, kind]),
);

export function kindOfMessage(type: MessageKind['type']): MessageKind {
  return BY_TYPE.get(type) as MessageKind;
}

export function isClientMessage(message: Message): message is ClientMessage {
  return message.type in REQUESTS;
}
