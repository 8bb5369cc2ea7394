/**
 * Jobs for miners: one template for each payout address and tag, refreshed with every cut and after every block,
 * shared by all connections that mine for it. When the node gives none, the last job stays until its window ends.
 */
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import {
  type Job,
  type JobBook,
  JobSeries,
  NotifyEncoder,
  noticeOf,
  type Protocol,
} from 'svc-mining';
import type { PowPeriods } from 'svc-mining/pow';
import { fromHex } from 'svc-wasm/base';
import type { TemplateRequest } from '../node/mining-node.ts';
import type { JobTemplate } from '../node/template-reader.ts';
import { BodyCache } from './body-cache.ts';
import type { Connection } from './connection.ts';

/** What a job is made from. */
export interface TemplateSource {
  template(request: TemplateRequest): Promise<JobTemplate>;
}

export interface JobGroupsPorts {
  readonly jobs: JobBook;
  readonly source: TemplateSource;
  readonly periods: PowPeriods;
  readonly clock: Clock;
  readonly log: Log;
  /** A group's new job has reached its miners; so long after the cut. */
  onFanout(millis: number, connections: number): void;
}

interface Group {
  readonly key: string;
  readonly payout: string;
  readonly tag: string;
  readonly connections: Set<Connection>;
  readonly series: JobSeries;
  job: Job | undefined;
  /** A template is being fetched. */
  isFetching: boolean;
  /** A pending request for a template: since when, and whether it invalidates older jobs. */
  wanted: { readonly since: number; readonly isClean: boolean } | undefined;
}

const GROUPS_MAX = 4_096;
/** Requests for templates that are under way at a time. */
const REFRESHES_MAX = 8;
/** After a template could not be had. */
const RETRY_MILLIS = 2_000;

export class JobGroups {
  readonly #ports: JobGroupsPorts;
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<Connection, Group>();
  readonly #bodies: BodyCache<Group>;
  /** Groups that want a template and whose turn has not come. */
  readonly #queue = new Set<Group>();
  #running = 0;
  #stopRetry: () => void = () => {};
  #isClosed = false;

  /** `bodyCharactersMax` is of the bodies of all jobs together. */
  constructor(ports: JobGroupsPorts, bodyCharactersMax: number) {
    this.#ports = ports;
    this.#bodies = new BodyCache(bodyCharactersMax);
  }

  get size(): number {
    return this.#groups.size;
  }

  bodyOf(job: Job): string | undefined {
    return this.#bodies.get(job.number)?.bodyHex;
  }

  /** Gives the connection jobs for this address from now on; false if there are too many addresses. */
  join(connection: Connection, payout: string, tag: string): boolean {
    const key = `${payout} ${tag}`;
    const known = this.#groups.get(key);
    if (known === undefined && (this.#groups.size >= GROUPS_MAX || !this.#makeRoom())) return false;
    const group: Group = known ?? {
      key,
      payout,
      tag,
      connections: new Set(),
      series: new JobSeries(),
      job: undefined,
      isFetching: false,
      wanted: undefined,
    };
    this.#groups.set(key, group);
    group.connections.add(connection);
    this.#groupOf.set(connection, group);
    const { job } = group;
    if (job !== undefined && this.#ports.jobs.stateOf(job) === 'open')
      connection.apply(connection.session.offer(job, true));
    else if (!group.isFetching) this.#refresh(group, true);
    return true;
  }

  leave(connection: Connection): void {
    const group = this.#groupOf.get(connection);
    if (group === undefined) return;
    this.#groupOf.delete(connection);
    group.connections.delete(connection);
    if (group.connections.size === 0) this.#groups.delete(group.key);
  }

  /** A cut came: every group gets a new job, and bodies of jobs that ended are dropped. */
  refreshAll(): void {
    const { jobs } = this.#ports;
    for (const number of this.#bodies.numbers())
      if (jobs.get(number) === undefined) this.#bodies.delete(number);
    for (const group of this.#groups.values()) this.#refresh(group, false);
  }

  /** A block was found with this job: its body is used, and its miners need another at once. */
  replace(job: Job): void {
    const entry = this.#bodies.get(job.number);
    if (entry !== undefined && entry.owner.job?.number === job.number)
      this.#refresh(entry.owner, true);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopRetry();
  }

  #refresh(group: Group, isClean: boolean): void {
    const { wanted } = group;
    const since = wanted?.since ?? this.#ports.clock.monotonic();
    group.wanted = { since, isClean: isClean || wanted?.isClean === true };
    if (group.isFetching) return;
    this.#queue.add(group);
    this.#next();
  }

  #next(): void {
    for (const group of this.#queue) {
      if (this.#running >= REFRESHES_MAX || this.#isClosed) return;
      this.#queue.delete(group);
      const { wanted } = group;
      group.wanted = undefined;
      if (wanted === undefined || group.connections.size === 0) continue;
      this.#running++;
      group.isFetching = true;
      void this.#fetch(group, wanted.isClean, wanted.since).finally(() => {
        this.#running--;
        group.isFetching = false;
        if (group.wanted !== undefined) this.#queue.add(group);
        this.#next();
      });
    }
  }

  async #fetch(group: Group, isClean: boolean, since: number): Promise<void> {
    const { source, clock, log } = this.#ports;
    try {
      const template = await source.template({ payout: group.payout, tag: group.tag });
      if (this.#isClosed) return;
      const job = this.#addJob(template, group);
      this.#offer(group, job, isClean);
      this.#ports.onFanout(clock.monotonic() - since, group.connections.size);
    } catch (error) {
      if (this.#isClosed) return;
      log.debug({ payout: group.payout, reason: messageOf(error) }, 'there is no template now');
      this.#retryLater();
    }
  }

  #retryLater(): void {
    this.#stopRetry();
    this.#stopRetry = this.#ports.clock.after(RETRY_MILLIS, () => {
      for (const group of this.#groups.values()) {
        const { job } = group;
        const isOpen = job !== undefined && this.#ports.jobs.stateOf(job) === 'open';
        if (!isOpen || job.height < this.#ports.jobs.height) this.#refresh(group, !isOpen);
      }
    });
  }

  #addJob(template: JobTemplate, group: Group): Job {
    const { jobs, periods } = this.#ports;
    const header = fromHex(template.header_hex, 'header_hex', 312);
    const content = {
      header,
      blockTarget: fromHex(template.target, 'target', 32),
      anchorHeight: template.anchor.height,
      expiresHeight: template.registration_window_end,
      period: periods.ofHeight(template.anchor.height),
    };
    const job = jobs.add(content, group.series);
    group.job = job;
    this.#bodies.add(job.number, { bodyHex: template.body_hex, owner: group });
    this.#makeRoom();
    return job;
  }

  /** Ends the oldest jobs that have a successor if there are too many bodies; false if all bodies are needed. */
  #makeRoom(): boolean {
    for (const number of this.#bodies.trim(this.#isMined)) this.#ports.jobs.end(number);
    return this.#bodies.hasRoom;
  }

  /** Whether miners of the group are at work on this job. */
  readonly #isMined = (number: number, group: Group): boolean =>
    group.job?.number === number && group.connections.size > 0;

  /** The message is made once for each form of the protocol; miners differ in their share target alone. */
  #offer(group: Group, job: Job, isClean: boolean): void {
    const notice = noticeOf(job, isClean);
    const place = this.#ports.jobs.placeOf(job.number);
    const encoders = new Map<Protocol, NotifyEncoder>();
    for (const connection of group.connections) {
      const shareTarget = connection.session.assign(job, place);
      if (shareTarget === undefined) continue;
      const { protocol } = connection;
      let encoder = encoders.get(protocol);
      if (encoder === undefined) {
        encoder = new NotifyEncoder(notice, protocol);
        encoders.set(protocol, encoder);
      }
      connection.send(encoder.encode(shareTarget));
    }
  }
}
