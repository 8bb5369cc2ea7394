/**
 * Judges a request before anything of it is read: rate, form of the target, Host, Origin. Sockets use the same
 * guard before they open.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Clock } from 'svc-base/pure';
import type { Refusal } from '../../refusal.ts';
import type { ProfileLimits } from '../options.ts';
import { Budgets, type BudgetVerdict } from './budgets.ts';
import { ClientKeys, clientKeyOf, isLoopbackKey } from './client-key.ts';

const TARGET_CHARACTERS_MAX = 2_048;
/** `/ui/` is how people write the address of the page; nothing else ends with a slash. */
const PATH = /^(?:\/|\/ui\/|(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)$/;
const QUERY = /^[\x21\x24-\x3b\x3d\x3f-\x5f\x61-\x7a\x7e]*$/;

/**
 * The head of a request: the one plain form of its target, the names that the API answers to, and the origins whose pages
 * may call it.
 */
export function targetFault(target: string): Refusal | undefined {
  if (target.length > TARGET_CHARACTERS_MAX) {
    return bad(`expected at most ${TARGET_CHARACTERS_MAX} characters`);
  }
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  if (!PATH.test(path)) return bad('expected a plain path, such as /v1/chain/head');
  if (mark !== -1 && !QUERY.test(target.slice(mark + 1))) return bad('expected a plain query');
  return undefined;
}

function bad(message: string): Refusal {
  return { code: 'bad_target', message };
}

const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253})(?::([0-9]{1,5}))?$/;

/**
 * Which names a node answers to. A page that has its own name point here (DNS rebinding) sends that name as
 * Host and is refused.
 */
export class HostGuard {
  readonly #names: ReadonlySet<string>;

  /** Names are host names or IP addresses, without a port. */
  constructor(names: readonly string[]) {
    this.#names = new Set([...OWN_NAMES, ...names.map(asHost)]);
  }

  /** Whether a Host header names this node. */
  allows(header: string | undefined): boolean {
    if (header === undefined) return false;
    const [, name, port] = HOST.exec(header.toLowerCase()) ?? [];
    if (name === undefined || !this.#names.has(name)) return false;
    return port === undefined || (Number(port) > 0 && Number(port) <= 65_535);
  }
}

function asHost(name: string): string {
  const plain = name.toLowerCase();
  return isIPv6(plain) ? `[${plain}]` : plain;
}

export type OriginVerdict = 'none' | 'same' | 'admitted' | 'refused';

/**
 * Which web pages may call: those of origins that the operator admitted, and those that this node served
 * itself. Programs that are no browsers send no Origin; browsers leave it out of plain reads (`<img>`, `no-cors`), and
 * say there by `Sec-Fetch-Site` whose page asks.
 */
class OriginGuard {
  readonly #admitted: ReadonlySet<string>;

  /** Origins exactly as browsers send them. */
  constructor(admitted: readonly string[]) {
    this.#admitted = new Set(admitted);
  }

  /** The caller must have checked the Host header with `HostGuard` before. */
  judge(origin: string | undefined, host: string): OriginVerdict {
    if (origin === undefined) return 'none';
    if (this.#admitted.has(origin)) return 'admitted';
    const own = host.toLowerCase();
    return origin === `http://${own}` || origin === `https://${own}` ? 'same' : 'refused';
  }
}

/** Whether a page of somewhere else asks without an Origin. A link that a reader follows is no page that asks. */
function isFromForeignPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

interface GuardOptions {
  readonly hosts: readonly string[];
  readonly browserOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly limits: ProfileLimits;
  readonly clock: Clock;
}

interface Admitted {
  readonly admitted: true;
  readonly client: string;
  readonly origin: OriginVerdict;
}

export type GuardVerdict = Admitted | { readonly admitted: false; readonly refusal: Refusal };

/** Units that a request to open a socket spends. */
const UPGRADE_WEIGHT = 5;
const ALL_CLIENTS = 'all clients';
/** Units of new connections that one costs a client, and a client that is blocked. */
const ARRIVAL_WEIGHT = 1;
const BLOCKED_ARRIVAL_WEIGHT = 64;

export class RequestGuard {
  readonly #hosts: HostGuard;
  readonly #origins: OriginGuard;
  readonly #clients: ClientKeys;
  readonly #clock: Clock;
  readonly #limits: ProfileLimits;
  readonly #requests: Budgets;
  readonly #signatures: Budgets;
  readonly #allSignatures: Budgets;
  readonly #submissions: Budgets;
  readonly #arrivals: Budgets;

  constructor(options: GuardOptions) {
    this.#hosts = new HostGuard(options.hosts);
    this.#origins = new OriginGuard(options.browserOrigins);
    this.#clients = new ClientKeys(options.trustedProxies);
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#requests = new Budgets(options.limits.requests);
    this.#signatures = new Budgets(options.limits.signatures);
    this.#allSignatures = new Budgets(options.limits.allSignatures);
    this.#submissions = new Budgets(options.limits.submissions);
    this.#arrivals = new Budgets(options.limits.arrivals);
  }

  clientOf(request: IncomingMessage): string {
    return this.#clients.keyOf(request);
  }

  /** Whether connections of an address may take any number of places: a proxy speaks for many clients. */
  isExceptedFromShare(address: string): boolean {
    return this.#clients.isProxy(address) || this.#isFree(clientKeyOf(address));
  }

  /** Whether a client may open another connection; a blocked one may open few, just to be told so. */
  mayConnect(client: string): boolean {
    const now = this.#clock.now();
    const isBlocked = this.#requests.isBlocked(client, now);
    const weight = isBlocked ? BLOCKED_ARRIVAL_WEIGHT : ARRIVAL_WEIGHT;
    return this.#arrivals.spend(client, weight, now).granted;
  }

  /** Judges a request that wants to become a socket. */
  admit(request: IncomingMessage): GuardVerdict {
    return this.judge(request, UPGRADE_WEIGHT);
  }

  judge(request: IncomingMessage, weight: number): GuardVerdict {
    const client = this.clientOf(request);
    const refusal =
      this.spendRequest(client, weight) ?? targetFault(request.url ?? '') ?? headFault(request);
    if (refusal !== undefined) return { admitted: false, refusal };
    const { host, origin } = request.headers;
    if (!this.#hosts.allows(host)) return REFUSED_HOST;
    const verdict = this.#origins.judge(origin, host as string);
    if (verdict === 'refused' || (verdict === 'none' && isFromForeignPage(request.headers)))
      return REFUSED_ORIGIN;
    return { admitted: true, client, origin: verdict };
  }

  spendRequest(client: string, weight: number): Refusal | undefined {
    if (weight === 0 || this.#isFree(client)) return undefined;
    return rateRefusal(this.#requests.spend(client, weight, this.#clock.now()));
  }

  /** Blocks a client for what no budget counts; returns whether it is one that can be. */
  block(client: string): boolean {
    if (this.#isFree(client)) return false;
    this.#requests.block(client, this.#clock.now());
    return true;
  }

  /** Counts what a request turned out to cost beyond the weight of its route. */
  chargeRequest(client: string, units: number): void {
    if (this.#isFree(client)) return;
    this.#requests.charge(client, units, this.#clock.now());
  }

  spendSignature(client: string): Refusal | undefined {
    const now = this.#clock.now();
    return (
      rateRefusal(this.#signatures.spend(client, 1, now)) ??
      rateRefusal(this.#allSignatures.spend(ALL_CLIENTS, 1, now))
    );
  }

  /** A program beside its node is not counted: the room of the signature threads bounds what it can ask for. */
  spendSubmission(client: string): Refusal | undefined {
    if (this.#isFree(client)) return undefined;
    return rateRefusal(this.#submissions.spend(client, 1, this.#clock.now()));
  }

  #isFree(client: string): boolean {
    return !this.#limits.limitsLoopback && isLoopbackKey(client);
  }
}

const REFUSED_HOST: GuardVerdict = {
  admitted: false,
  refusal: { code: 'host_not_allowed', message: 'this node does not answer to that Host' },
};

const REFUSED_ORIGIN: GuardVerdict = {
  admitted: false,
  refusal: { code: 'origin_not_allowed', message: 'pages of that origin may not call this node' },
};

/** Refuses two Host headers: Node reads the first one, a proxy in front may have read the other. */
function headFault({ rawHeaders, httpVersionMajor }: IncomingMessage): Refusal | undefined {
  if (httpVersionMajor !== 1) return { code: 'bad_request', message: 'expected HTTP/1.1' };
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1 ? { code: 'bad_request', message: 'expected one Host header' } : undefined;
}

function rateRefusal(verdict: BudgetVerdict): Refusal | undefined {
  if (verdict.granted) return undefined;
  const { retryAfterMillis, blocked } = verdict;
  return blocked
    ? {
        code: 'blocked',
        message: 'blocked after too many requests',
        retryAfterMillis,
        closes: true,
      }
    : { code: 'too_many_requests', message: 'over the request rate', retryAfterMillis };
}
