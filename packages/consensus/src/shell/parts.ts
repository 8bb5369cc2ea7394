/**
 * The parts of a validator, each given the driver and the parts that it works with.
 */
import type { Effect, Input, PeerMessage, ValidatorIndex } from 'svc-consensus/machine';
import { CutFetcher } from './cuts/cut-fetcher.ts';
import { KnownCuts } from './cuts/known-cuts.ts';
import type { Driver } from './driver.ts';
import { EvidencePool } from './evidence/evidence-pool.ts';
import { VoteExchange } from './evidence/vote-exchange.ts';
import { HeightChange } from './heights/height-change.ts';
import { HeightStart } from './heights/height-start.ts';
import { EffectExecutor } from './machine/effect-executor.ts';
import type { ValidatorOptions } from './options.ts';
import { Inbox } from './peers/inbox.ts';
import { QuestionBudget } from './peers/question-budget.ts';
import { Reception } from './peers/reception.ts';
import { RequestServer } from './peers/request-server.ts';
import { Speaker } from './peers/speaker.ts';
import { AttendanceLog } from './report/attendance-log.ts';
import { KeyWatch } from './start/key-watch.ts';

export interface ValidatorParts {
  readonly speaker: Speaker;
  readonly fetcher: CutFetcher;
  readonly evidence: EvidencePool;
  readonly attendance: AttendanceLog;
  readonly heights: HeightChange;
  readonly executor: EffectExecutor;
  readonly keyWatch: KeyWatch;
}

/** Makes the parts, connects the machine with them and listens to the overlay. */
export function makeParts<Packet>(
  driver: Driver,
  options: ValidatorOptions<Packet>,
): ValidatorParts {
  const { overlay, codec, checks, chain, probe } = options;
  const cuts = new KnownCuts(driver);
  for (const cut of driver.records.foundCuts)
    if (cut.fields.height >= BigInt(chain.next.height)) cuts.learn(cut);
  const outlet = {
    neighbours: () => overlay.neighbours(),
    broadcast: (message) => {
      if (overlay.neighbours().length > 0) overlay.broadcast(codec.encode(message));
    },
    send: (to, message) => overlay.send(to, codec.encode(message)),
  } satisfies ConstructorParameters<typeof Speaker>[1];
  const speaker = new Speaker(driver, outlet, cuts);
  const requests = new RequestServer(driver, cuts, speaker);
  const fetcher = new CutFetcher(driver, cuts, speaker);
  const evidence = new EvidencePool(driver, speaker);
  const budget = new QuestionBudget({
    monotonic: () => options.clock.monotonic(),
    periodMillis: driver.rules.timing.antiEntropyMs,
    units: driver.rules.questionUnits,
  });
  const exchange = new VoteExchange(driver, { speaker, evidence, budget });
  const start = new HeightStart(driver, { checks, overlay });
  const heights = new HeightChange(driver, {
    cuts,
    fetcher,
    evidence,
    exchange,
    speaker,
    start,
  });
  const shared = { cuts, speaker, requests, fetcher, heights, evidence };
  const executor = new EffectExecutor(driver, shared);
  const keyWatch = new KeyWatch(driver);
  const reception = new Reception(driver, { ...shared, exchange, budget, codec, keyWatch });
  start.prepare();
  exchange.recall();
  driver.machine.connect({
    execute: (effect) => executor.execute(effect),
    onStep: (before, input, result) => {
      driver.diary.rows(result.state.context.height, result.rows);
      exchange.see();
      if (isQuestion(input)) budget.charge(reception.askerOf(input), unitsOf(result.effects));
      probe?.onStep?.(before, input, result);
    },
  });
  listen(driver, options, reception);
  const attendance = new AttendanceLog(driver);
  return { speaker, fetcher, evidence, heights, executor, attendance, keyWatch };
}

function isQuestion(input: Input): input is Extract<Input, { from: ValidatorIndex }> {
  const { type } = input;
  return type === 'summary' || type === 'polkaRequest' || type === 'precommitsRequest';
}

/** Signatures that the answer to a question has. */
function unitsOf(effects: readonly Effect[]): number {
  let units = 0;
  for (const effect of effects) if (effect.type === 'send') units += signaturesOf(effect.message);
  return units;
}

function signaturesOf(message: PeerMessage): number {
  const { kind } = message;
  const isCertificate = kind === 'polkaCertificate' || kind === 'commitCertificate';
  return isCertificate ? message.signatures.length : 1;
}

function listen<Packet>(
  driver: Driver,
  { overlay, codec, checks, log, clock, soon }: ValidatorOptions<Packet>,
  reception: Reception,
): void {
  const inbox = new Inbox<Packet>({
    codec,
    checks,
    log,
    clock,
    soon,
    limits: driver.rules.inboxLimits,
    accountOf: driver.rules.accountOf,
    isWanted: (message) => reception.isWanted(message),
    slotOf: (message) => reception.slotOf(message),
    deliver: (arrival) => reception.deliver(arrival),
    onFatal: driver.fail,
  });
  driver.endings.push(() => {
    overlay.listen(() => {});
    inbox.close();
  });
  overlay.listen((from, packet, link) => {
    if (driver.isMuted) driver.diary.paused(driver.height);
    if (!driver.isMuted || driver.isListening) inbox.receive(from, packet, link);
  });
}
