/**
 * Why a server refuses a request. A number or a name is never changed and never used again; the first few have the
 * numbers that miners know from other coins.
 */
export const REFUSALS = {
  internal: { code: 20, meaning: 'The server failed; the request may be repeated later.' },
  unknown_job: { code: 21, meaning: 'The server has no such job for this connection.' },
  duplicate: { code: 22, meaning: 'The nonce was submitted for this job before; it counts once.' },
  low_difficulty: { code: 23, meaning: 'The hash is above the share target of the job.' },
  unauthorized: { code: 24, meaning: 'The connection has not been authorized.' },
  not_subscribed: { code: 25, meaning: 'The connection has not subscribed.' },
  stale: { code: 26, meaning: 'The registration window of the job has closed.' },
  wrong_prefix: { code: 27, meaning: "The nonce does not end with the connection's prefix." },
  too_fast: { code: 28, meaning: 'More shares than the server checks; raise the difficulty.' },
  bad_message: { code: 29, meaning: 'The message breaks the protocol.' },
  bad_address: { code: 30, meaning: 'The username does not begin with an address.' },
  wrong_network: { code: 31, meaning: 'The address belongs to another network.' },
  bad_worker: { code: 32, meaning: 'The name of the worker has other characters or is too long.' },
  bad_tag: { code: 33, meaning: 'The tag has characters that are not allowed, or is too long.' },
  unsupported_protocol: { code: 34, meaning: 'The server does not speak this protocol.' },
  no_work: { code: 35, meaning: 'The server has no work now: its node is away or behind.' },
  banned: { code: 36, meaning: 'The address of the connection is banned for a while.' },
  full: { code: 37, meaning: 'The server has no room for another connection or address.' },
} as const satisfies Readonly<Record<string, { readonly code: number; readonly meaning: string }>>;

export type Refusal = keyof typeof REFUSALS;

export const REFUSAL_NAMES: readonly Refusal[] = Object.keys(REFUSALS) as Refusal[];

const BY_CODE: ReadonlyMap<number, Refusal> = new Map(
  REFUSAL_NAMES.map((name) => [REFUSALS[name].code, name]),
);

export function refusalOfCode(code: number): Refusal | undefined {
  return BY_CODE.get(code);
}
