/**
 * The withdrawal crash matrix: every place at which a daemon can die, everything a node can do to a submission,
 * and every way in which a caller can go on. After each case the recipient was paid once or never, every answer
 * that a caller got is true on the chain, and what the wallet holds back is held back for a reason.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'svc-client';
import { fromHex, inspectTransaction } from 'svc-wasm';
import { CRASH_POINTS, type CrashPoint } from '../../src/journal/crash-points.ts';
import {
  FaultProxy,
  isOfPast,
  NODE_BEHAVIOURS,
  type NodeBehaviour,
} from '../testing/fault-proxy.ts';
import type { TestNetwork } from '../testing/network.ts';
import { type CallOutcome, CrashProcess } from './crash-process.ts';
import { StateBackup } from './state-backup.ts';

export const CLIENT_BEHAVIOURS = ['at_once', 'after_restart', 'in_parallel', 'gives_up'] as const;
export type ClientBehaviour = (typeof CLIENT_BEHAVIOURS)[number];

export interface Case {
  readonly point: CrashPoint;
  readonly node: NodeBehaviour;
  readonly client: ClientBehaviour;
  /** The state is put back to what it was before the call, once the daemon has died; its journal copy stays. */
  readonly isRestored?: boolean;
  /** The daemon dies while it cancels a payment that waits, not while it pays. */
  readonly isCancelled?: boolean;
  /** The wallet reads its past once more when the daemon dies, and goes on with that. */
  readonly isRescanning?: boolean;
}

export const ALL_CASES: readonly Case[] = CRASH_POINTS.flatMap((point) =>
  NODE_BEHAVIOURS.flatMap((node) => CLIENT_BEHAVIOURS.map((client) => ({ point, node, client }))),
);

/** Some of the cases, spread so that every point, behaviour and caller is among them. */
export function spread(count: number, first = 0): Case[] {
  const total = ALL_CASES.length;
  if (count >= total) return [...ALL_CASES];
  // The stride has no factor in common with 432, so that no two places are the same.
  const stride = Math.floor(total / count) | 1;
  const step = stride % 3 === 0 ? stride + 2 : stride;
  return Array.from({ length: count }, (_, at) => ALL_CASES[(first + at * step) % total] as Case);
}

/** The same cases, of which one in so many, from the first on, goes on with a restored backup. */
export function restoreSome(cases: readonly Case[], every: number): Case[] {
  return cases.map((each, at) => (at % every === 0 ? { ...each, isRestored: true } : each));
}

/** The same cases, of which one in so many, from the first on, is one of a payment that is cancelled. */
export function cancelSome(cases: readonly Case[], every: number): Case[] {
  return cases.map((each, at) => (at % every === 0 ? { ...each, isCancelled: true } : each));
}

/** The same cases, of which one in so many, from the first on, is one of a wallet that reads its past once more. */
export function rescanSome(cases: readonly Case[], every: number): Case[] {
  return cases.map((each, at) => (at % every === 0 ? { ...each, isRescanning: true } : each));
}

export interface MatrixOptions {
  readonly net: TestNetwork;
  /** Where the daemon's bundle is. */
  readonly program: string;
  readonly file: string;
  readonly words: string;
  /** How many addresses change goes to in turn; null where each payment has a new one. */
  readonly changeAddresses: number | null;
  /** Gives an address of somebody else, never the same twice. */
  recipient(): string;
}

interface Cancelled {
  /** Of the payment. */
  readonly requestId: string;
  readonly to: string;
  readonly call: Call;
  readonly answers: readonly CallOutcome[];
}

interface Told {
  readonly title: string;
  readonly to: string;
  readonly isRestored: boolean;
  readonly answers: readonly CallOutcome[];
}

interface Named {
  readonly request_id?: string;
}

/** A call that moves coins. */
interface Call {
  readonly method: 'send' | 'cancel';
  readonly params: { readonly request_id: string };
}

/** Points that lie behind another one: the daemon has to die there first. */
const LEADS_TO: Partial<Record<CrashPoint, CrashPoint>> = {
  startup_scan: 'journal_committed',
  resubmit: 'during_submit',
};
/** Points that are reached all the time, so that they are armed once the call was answered. */
const ARMED_LATER: readonly CrashPoint[] = ['finalisation'];

/** Where a daemon dies that pays several at once. */
export const GROUP_POINTS = [
  'journal_committed',
  'before_submit',
  'during_submit',
  'after_record',
] as const satisfies readonly CrashPoint[];
export const GROUP_SIZE = 6;

const AMOUNT = '0.01';
const ATOMS = '1000000';
/** Cuts after which every payment is decided by height. */
const CUTS_MAX = 40;
/**
 * Further cuts, with a pause after each: a daemon asks the node for the proof of a dead payment after each cut, has little
 * patience here, and on a busy machine may get no answer for some of them.
 */
const LATE_CUTS_MAX = 40;
const LATE_PAUSE_MILLIS = 1_000;
/** Enough for a daemon that dies twice on the way, and over when a caller has repeated its call for a while. */
const RESTORED_VALID_CUTS = 30;
const LOOKS_MAX = 1_500;
const LOOK_MILLIS = 20;
/** What a daemon may need after a cut that it has read, to come to a point by itself. */
const PAUSE_MILLIS = 150;

export class CrashMatrix {
  readonly #options: MatrixOptions;
  readonly #proxy: FaultProxy;
  readonly #node;
  readonly #told: Told[] = [];
  readonly #wires = new Map<string, string>();
  /** The daemon that was checked last; it is the one that dies next. */
  #idle: CrashProcess | undefined;
  #count = 0;
  /** Daemons that died at the point they were told, and were not killed for want of reaching it. */
  crashes = 0;

  static async open(options: MatrixOptions): Promise<CrashMatrix> {
    return new CrashMatrix(options, await FaultProxy.start(options.net.url));
  }

  private constructor(options: MatrixOptions, proxy: FaultProxy) {
    this.#options = options;
    this.#proxy = proxy;
    this.#node = createClient({ url: options.net.url });
  }

  async close(): Promise<void> {
    await this.#idle?.kill();
    await this.#proxy.close();
  }

  async run(each: Case): Promise<void> {
    const requestId = `case-${++this.#count}`;
    const to = this.#options.recipient();
    const { isCancelled = false, isRescanning = false, isRestored = false } = each;
    // The bytes of a payment may be lost with the state; it is decided when it has expired.
    const validity = isRestored ? { valid_cuts: RESTORED_VALID_CUTS } : {};
    const params = { to, amount: AMOUNT, request_id: requestId, ...validity };
    const call: Call = isCancelled ? await this.#payFirst(params) : { method: 'send', params };
    const backup = isRestored ? await this.#backUp() : undefined;
    const letPastPass = isRescanning ? await this.#beginRescan() : undefined;
    this.#proxy.behave(each.node, each.node === 'refused' ? Number.MAX_SAFE_INTEGER : 3);
    const answers = await this.#callAndCrash(each, call);
    backup?.restore();
    this.#proxy.behave(each.node, each.node === 'refused' ? Number.MAX_SAFE_INTEGER : 0);
    letPastPass?.();
    const daemon = await this.#start(null);
    try {
      answers.push(...(await this.#goOn(each.client, daemon, call)));
      if (isCancelled) await this.#checkCancelled(each, daemon, { requestId, to, call, answers });
      else await this.#check(each, daemon, requestId, to, answers);
      await this.#untilReadAgain(daemon, each);
      this.#idle = daemon;
    } catch (error) {
      await daemon.kill();
      throw error;
    } finally {
      this.#proxy.behave('ok', 0);
    }
  }

  /**
   * Payments of one batch, which share their commits and syncs, the first of them twice: the daemon dies when the first comes
   * to a point, and every caller repeats its call. Each recipient is paid once.
   */
  async runGroup(point: CrashPoint): Promise<void> {
    const { recipient } = this.#options;
    const payments = Array.from({ length: GROUP_SIZE }, () => {
      return { to: recipient(), amount: AMOUNT, request_id: `case-${++this.#count}` };
    });
    const dying = await this.#takeIdle();
    await this.#ready(dying);
    await dying.crashAt(point);
    const answers = await dying.callAll('send', [...payments, ...payments.slice(0, 1)]);
    await this.#untilEnded(dying);
    const daemon = await this.#start(null);
    try {
      const each = { point, node: 'ok', client: 'after_restart' } as const;
      const repeated = await Promise.all(
        payments.map((params) => this.#goOn(each.client, daemon, { method: 'send', params })),
      );
      for (const [at, { request_id, to }] of payments.entries()) {
        const all = [answers[at] as CallOutcome, ...(repeated[at] ?? [])];
        await this.#check(each, daemon, request_id, to, all);
        assert.equal(await this.#paidTo(to), ATOMS, `${point}: a payment of the group is lost`);
      }
      this.#idle = daemon;
    } catch (error) {
      await daemon.kill();
      throw error;
    }
  }

  /** Makes the payment that the case cancels; no cut is made, so that it waits. */
  async #payFirst(params: Call['params']): Promise<Call> {
    const daemon = await this.#takeIdle();
    await this.#ready(daemon);
    const { code, result } = await daemon.call('send', params);
    assert.equal(result?.['submitted'], true, `the payment of the case was not sent: ${code}`);
    this.#idle = daemon;
    const payment = params.request_id;
    const cancel = { payment, request_id: `cancel-${payment}` };
    return { method: 'cancel', params: cancel };
  }

  /** The state as a daemon that was killed leaves it. */
  async #backUp(): Promise<StateBackup> {
    await this.#idle?.kill();
    this.#idle = undefined;
    return new StateBackup(this.#options.file);
  }

  /** Has the past read once more, and the node not tell of it until the function that this returns is called. */
  async #beginRescan(): Promise<() => void> {
    const daemon = await this.#takeIdle();
    await this.#ready(daemon);
    const letPass = this.#proxy.holdReads(isOfPast);
    await daemon.call('rescan', {});
    this.#idle = daemon;
    return letPass;
  }

  /** A reading that is under way ends, wherever the daemon died in it. */
  async #untilReadAgain(daemon: CrashProcess, each: Case): Promise<void> {
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const { result } = await daemon.call('status', {});
      if (result?.['rescan'] === null) return;
      await sleep(LOOK_MILLIS);
    }
    assert.fail(`${JSON.stringify(each)}: the past is never read`);
  }

  async #start(crashAt: string | null): Promise<CrashProcess> {
    const { changeAddresses, file, program, words } = this.#options;
    const service = this.#proxy.url;
    return await CrashProcess.start(program, { file, words, service, crashAt, changeAddresses });
  }

  async #takeIdle(): Promise<CrashProcess> {
    const daemon = this.#idle;
    this.#idle = undefined;
    return daemon === undefined || daemon.hasEnded ? await this.#start(null) : daemon;
  }

  async #callAndCrash({ client, point }: Case, call: Call): Promise<CallOutcome[]> {
    const first = LEADS_TO[point] ?? point;
    const isLater = ARMED_LATER.includes(first);
    const daemon = await this.#takeIdle();
    await this.#ready(daemon);
    // Only now: replies to questions pass some points too.
    if (!isLater) await daemon.crashAt(first);
    const calls = client === 'in_parallel' ? 2 : 1;
    const answers = await Promise.all(
      Array.from({ length: calls }, () => daemon.call(call.method, call.params)),
    );
    if (isLater) await daemon.crashAt(first);
    await this.#untilEnded(daemon);
    if (first !== point) {
      const second = await this.#start(point);
      await this.#untilEnded(second);
    }
    return answers;
  }

  /** A daemon that has not died by then is killed: not every behaviour of a node leads past every point. */
  async #untilEnded(daemon: CrashProcess): Promise<void> {
    for (let cut = 0; cut < 4 && !daemon.hasEnded; cut++) {
      await this.#cutReadBy(daemon);
      await Promise.race([daemon.ended, sleep(PAUSE_MILLIS)]);
    }
    if (daemon.hasEnded) this.crashes++;
    await daemon.kill();
  }

  /** Makes a cut and waits until the daemon has read it or died: how busy the machine is decides nothing. */
  async #cutReadBy(daemon: CrashProcess): Promise<void> {
    const height = await this.#options.net.network.mine(1);
    for (let looks = 0; looks < LOOKS_MAX && !daemon.hasEnded; looks++) {
      const { result } = await daemon.call('status', {});
      if (Number(result?.['indexed_height'] ?? 0) >= height) return;
      await sleep(LOOK_MILLIS);
    }
  }

  /** Until the wallet spends: it has read its history and heard of the head. */
  async #ready(daemon: CrashProcess): Promise<void> {
    for (let looks = 0; looks < LOOKS_MAX && !daemon.hasEnded; looks++) {
      const { result } = await daemon.call('status', {});
      const phase = (result?.['scan'] as { phase?: string } | undefined)?.phase;
      if (phase === 'following') return;
      await sleep(LOOK_MILLIS);
    }
  }

  async #goOn(
    client: ClientBehaviour,
    daemon: CrashProcess,
    { method, params }: Call,
  ): Promise<CallOutcome[]> {
    if (client === 'gives_up') return [];
    if (client !== 'at_once') await this.#ready(daemon);
    const answers: CallOutcome[] = [];
    for (let tries = 0; tries < 60; tries++) {
      const calls = client === 'in_parallel' ? 2 : 1;
      const some = await Promise.all(
        Array.from({ length: calls }, () => daemon.call(method, params)),
      );
      answers.push(...some);
      const last = some.at(-1);
      if (last?.result !== undefined || last?.code === -32004 || last?.code === -32000)
        return answers;
      await this.#cutReadBy(daemon);
    }
    return answers;
  }

  async #check(
    each: Case,
    daemon: CrashProcess,
    requestId: string,
    to: string,
    answers: readonly CallOutcome[],
  ): Promise<void> {
    const title = JSON.stringify(each);
    await this.#ready(daemon);
    const open = await this.#untilDecided(daemon, requestId);
    const canRefuse = each.node === 'refused' || each.node === 'older_state';
    assert.ok(open === undefined || (canRefuse && open !== 'known'), `${title}: left ${open}`);
    const told = { title, to, isRestored: each.isRestored === true, answers };
    this.#told.push(told);
    await this.#checkTold(told);
    await this.#checkBytes(daemon, requestId, title);
    await this.#checkBalance(daemon, title);
  }

  /**
   * Of a payment and its cancellation one was executed and the other was not, the wallet says which, and what callers
   * were told of the cancellation is so.
   */
  async #checkCancelled(each: Case, daemon: CrashProcess, done: Cancelled): Promise<void> {
    const { answers, requestId, to } = done;
    const cancelId = done.call.params.request_id;
    const title = JSON.stringify(each);
    await this.#ready(daemon);
    const open = await this.#untilDecided(daemon, cancelId);
    const canRefuse = each.node === 'refused' || each.node === 'older_state';
    assert.ok(open === undefined || (canRefuse && open !== 'known'), `${title}: left ${open}`);
    assert.equal(await this.#untilDecided(daemon, requestId), undefined, `${title}: the payment`);
    const outcomeOf = async (request_id: string): Promise<unknown> =>
      (await daemon.call('request', { request_id })).result?.['outcome'] ?? null;
    const [payment, cancel] = [await outcomeOf(requestId), await outcomeOf(cancelId)];
    const paid = await this.#paidTo(to);
    const story = `${title}: paid ${paid}, the payment ${payment}, the cancellation ${cancel}`;
    assert.equal(paid, payment === 'finalized' ? ATOMS : '0', story);
    assert.ok(payment !== null && (payment === 'finalized') !== (cancel === 'finalized'), story);
    const answered = answers.flatMap(({ result }) => (result === undefined ? [] : [result]));
    const firsts = answered.filter(({ duplicate }) => duplicate === false);
    assert.ok(firsts.length <= 1, `${title}: two answers that are no duplicates`);
    const ids = new Set(answered.map(({ transaction }) => transaction));
    assert.ok(ids.size <= 1, `${title}: two transactions for one cancellation`);
    for (const { outcome = cancel } of answered) assert.equal(outcome, cancel, story);
    this.#told.push({ title, to, isRestored: each.isRestored === true, answers: [] });
    await this.#checkBytes(daemon, cancelId, title);
    await this.#checkBalance(daemon, title);
  }

  /** What callers were told is true on the chain, now and whenever it is looked at again. */
  async #checkTold({ answers, isRestored, title, to }: Told): Promise<void> {
    const paid = await this.#paidTo(to);
    assert.ok(paid === '0' || paid === ATOMS, `${title}: paid ${paid}`);
    const answered = answers.filter(({ result }) => result !== undefined);
    const expired = answered.filter(({ result }) => result?.['outcome'] === 'expired');
    // A payment that the node did not have is lost with the bytes of a state that was put back, and expires.
    const mayBeLost = ({ result }: CallOutcome): boolean =>
      isRestored && result?.['submitted'] === false;
    const sent = answered.filter((answer) => !expired.includes(answer) && !mayBeLost(answer));
    if (expired.length > 0) assert.equal(paid, '0', `${title}: told that it has expired`);
    const isRefused = answers.some(({ code }) => code === -32004);
    if (sent.length > 0) assert.equal(paid, ATOMS, `${title}: the caller was told that it is sent`);
    if (isRefused) assert.equal(paid, '0', `${title}: the caller was told that it is refused`);
    const firsts = answered.filter(({ result }) => result?.['duplicate'] === false);
    assert.ok(firsts.length <= 1, `${title}: two answers that are no duplicates`);
    const ids = new Set(answered.map(({ result }) => result?.['transaction']));
    assert.ok(ids.size <= 1, `${title}: two transactions for one request`);
  }

  /** One transaction for a request, and one wire for a transaction, whenever it was sent. */
  async #checkBytes(daemon: CrashProcess, requestId: string, title: string): Promise<void> {
    const manifest = JSON.stringify(await this.#node.transactionsManifest());
    for (const wire of this.#proxy.submitted.splice(0)) {
      const inspection = JSON.parse(inspectTransaction(fromHex(wire), manifest)) as {
        transaction_id: string;
      };
      const before = this.#wires.get(inspection.transaction_id) ?? wire;
      assert.equal(wire, before, `${title}: other bytes for the same transaction`);
      this.#wires.set(inspection.transaction_id, wire);
    }
    const { result: history } = await daemon.call('history', { limit: 1000 });
    const { result: pending } = await daemon.call('pending', {});
    const all = [
      ...((history?.['entries'] ?? []) as Named[]),
      ...((pending?.['transactions'] ?? []) as Named[]),
    ];
    const own = all.filter(({ request_id }) => request_id === requestId);
    assert.ok(own.length <= 1, `${title}: ${own.length} transactions for one request`);
  }

  /** Makes cuts until the request is decided; answers the state that it is left in otherwise. */
  async #untilDecided(daemon: CrashProcess, requestId: string): Promise<string | undefined> {
    for (let cuts = 0; ; cuts++) {
      const { result } = await daemon.call('pending', {});
      const list = (result?.['transactions'] ?? []) as { request_id: string; state: string }[];
      const found = list.find(({ request_id }) => request_id === requestId);
      if (found === undefined || found.state === 'refused') return found?.state;
      if (cuts >= CUTS_MAX + LATE_CUTS_MAX) return found.state;
      await this.#cutReadBy(daemon);
      if (cuts >= CUTS_MAX) await sleep(LATE_PAUSE_MILLIS);
    }
  }

  async #paidTo(address: string): Promise<string> {
    return (await this.#node.addressBalance({ address })).balance;
  }

  /** The wallet's balance is that of its addresses on the chain. */
  async #checkBalance(daemon: CrashProcess, title: string): Promise<void> {
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const { result } = await daemon.call('outputs', { limit: 1000 });
      const outputs = (result?.['outputs'] ?? []) as { address: string; amount: string }[];
      const own = outputs.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n);
      const addresses = [...new Set(outputs.map(({ address }) => address))];
      let onChain = 0n;
      for (let at = 0; at < addresses.length; at += 64) {
        const some = addresses.slice(at, at + 64);
        const { balances } = await this.#node.addressBalances({ addresses: some });
        onChain += balances.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
      }
      if (own === onChain) return;
      await sleep(LOOK_MILLIS);
    }
    assert.fail(`${title}: the balance is not that of the chain`);
  }

  /** After every case: once all validity has passed nothing is held back, and nothing was ever lost. */
  async settleAll(cuts: number): Promise<{ open: number; reserved: string }> {
    const daemon = await this.#takeIdle();
    try {
      await this.#ready(daemon);
      await this.#options.net.network.mine(cuts);
      for (let tries = 0; tries < 400; tries++) {
        const { result } = await daemon.call('pending', {});
        const open = (result?.['transactions'] as unknown[] | undefined)?.length ?? -1;
        const balance = (await daemon.call('balance', {})).result;
        if (open === 0) {
          for (const told of this.#told) await this.#checkTold(told);
          return { open, reserved: String(balance?.['reserved']) };
        }
        // The wallet reads the past of many addresses here, which takes a node longer than a quick cut.
        await this.#options.net.network.mine(1);
        await sleep(250);
      }
      return { open: -1, reserved: '' };
    } finally {
      await daemon.kill();
    }
  }
}
