/**
 * The parts of a validator's driver, made and tied together. They reach the driver through the few calls here.
 */
import {
  type CommitCertificate,
  type CutId,
  type FinalityState,
  type Input,
  initialState,
  type Rules,
} from 'svc-finality';
import { NO_PEERS } from '../ports/relay.ts';
import type { VoteChecks } from '../ports/vote-checks.ts';
import { AttendanceLog } from './attendance-log.ts';
import { CutFetcher } from './cut-fetcher.ts';
import type { DriverOptions } from './driver-options.ts';
import { EffectRunner } from './effect-runner.ts';
import { EvidencePool } from './evidence-pool.ts';
import { HeightDiary } from './height-diary.ts';
import type { HeightTimers } from './height-timers.ts';
import { HeldCuts } from './held-cuts.ts';
import { Inbox } from './inbox.ts';
import { MachineLoop } from './machine-loop.ts';
import { contextOf, type OpenedValidator, previousOf } from './open-validator.ts';
import { Reception } from './reception.ts';
import { Serving } from './serving.ts';
import { Speaker } from './speaker.ts';

export interface PartsRequest {
  readonly options: DriverOptions;
  readonly rules: Rules;
  readonly opened: OpenedValidator;
  readonly checks: VoteChecks;
  readonly timers: HeightTimers;
  readonly isMuted: () => boolean;
  /** Ids of the members of the set in progress, by index. */
  readonly members: () => readonly string[];
  readonly ownIndexAt: (height: number) => number | undefined;
  readonly onVerdict: (value: CutId, verdict: 'valid' | 'invalid') => void;
  readonly decide: (certificate: CommitCertificate) => void;
  readonly helpedBy: (validatorId: string) => void;
  readonly onFatal: (error: unknown) => void;
}

export interface DriverParts {
  readonly cuts: HeldCuts;
  readonly evidence: EvidencePool;
  readonly diary: HeightDiary;
  readonly attendance: AttendanceLog;
  readonly speaker: Speaker;
  readonly fetcher: CutFetcher;
  readonly inbox: Inbox;
  readonly loop: MachineLoop;
}

/** What several parts share; the machine is there before any of them asks for its state. */
interface Shared {
  readonly request: PartsRequest;
  readonly cuts: HeldCuts;
  readonly diary: HeightDiary;
  readonly speaker: Speaker;
  readonly serving: Serving;
  readonly state: () => FinalityState;
  readonly input: (input: Input) => void;
}

export function makeParts(request: PartsRequest): DriverParts {
  const { options, opened, onFatal } = request;
  const { chain, blocks, overlay, clock, log, random = Math.random } = options;
  let loop: MachineLoop | undefined;
  const state = () => (loop as MachineLoop).state;
  const input = (next: Input) => (loop as MachineLoop).input(next);
  const cuts = new HeldCuts((value) => state().verdicts.has(value));
  for (const cut of opened.files.foundCuts)
    if (cut.fields.height >= BigInt(chain.next.height)) cuts.learn(cut);
  const { isMuted, members } = request;
  const speaker = new Speaker({ overlay, wire: chain.wire, cuts, random, isMuted, members });
  const now = () => clock.now();
  const serving = new Serving({ chain, blocks, cuts, speaker, now, onFatal });
  const diary = new HeightDiary();
  const shared: Shared = { request, cuts, diary, speaker, serving, state, input };
  const { interval } = chain.parameters;
  const indexAt = request.ownIndexAt;
  const attendance = new AttendanceLog({ interval, log, diary, indexAt });
  const fetcher = makeFetcher(shared);
  const evidence = new EvidencePool();
  loop = makeLoop(shared, fetcher, evidence);
  const inbox = makeInbox(shared, fetcher);
  return { cuts, evidence, diary, attendance, speaker, fetcher, inbox, loop };
}

function makeFetcher({ request, cuts, diary, speaker, state }: Shared): CutFetcher {
  const { options, rules, onVerdict, onFatal } = request;
  const { chain, blocks, clock, relay = NO_PEERS } = options;
  const retryMillis = rules.timing.antiEntropyMs;
  const shared = { cuts, diary, speaker, state, onVerdict, onFatal };
  return new CutFetcher({ chain, blocks, clock, relay, retryMillis, ...shared });
}

function makeLoop(shared: Shared, fetcher: CutFetcher, evidence: EvidencePool): MachineLoop {
  const { request, cuts, diary, speaker, serving, state, input } = shared;
  const { options, opened, rules, timers, isMuted, members, decide, onFatal } = request;
  const { chain, clock, log, key, faults = {} } = options;
  const runner = new EffectRunner({
    chain,
    clock,
    faults,
    timers,
    speaker,
    serving,
    fetcher,
    cuts,
    evidence,
    diary,
    input,
    isMuted,
    decide,
    onFatal,
    wire: chain.wire,
    files: opened.files,
    signer: opened.signer,
    self: () => state().context.self,
    isProposing: (height, round) => {
      const { context, round: current } = state();
      return context.height === height && current.round === round && current.step === 'propose';
    },
    neighbourIndexes: () => {
      const drawn = speaker.draw(members().length);
      return drawn.map((id) => members().indexOf(id)).filter((index) => index >= 0);
    },
    accuse: (validator, height) =>
      log.warn({ validator, height }, 'a validator signed two different messages'),
  });
  const fresh = () => initialState(contextOf(chain, key), previousOf(chain));
  return new MachineLoop(opened.recovered?.state ?? fresh(), rules, {
    run: (effect) => runner.run(effect),
    observe: (_input, { state: after, rows }) => diary.rows(after.context.height, rows),
    onFatal,
  });
}

function makeInbox(shared: Shared, fetcher: CutFetcher): Inbox {
  const { request, cuts, diary, speaker, serving, state, input } = shared;
  const { options, opened, rules, checks, members, ownIndexAt, helpedBy, onFatal } = request;
  const { chain, log, clock } = options;
  const reception = new Reception({
    chain,
    log,
    rules,
    cuts,
    fetcher,
    serving,
    speaker,
    diary,
    state,
    input,
    ownIndexAt,
    helpedBy,
    onFatal,
    signer: opened.signer,
    indexOf: (validatorId) => {
      const index = members().indexOf(validatorId);
      return index < 0 ? undefined : index;
    },
  });
  return new Inbox({
    checks,
    log,
    onFatal,
    wire: chain.wire,
    now: () => clock.now(),
    isWanted: (message) => reception.isWanted(message),
    deliver: (arrival) => reception.deliver(arrival),
  });
}
