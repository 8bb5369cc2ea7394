/**
 * The validator of the code beside that of the model: inputs of one are given to the other, and what both hold afterwards
 * is compared field by field, with everything signed, the log and what of it is synced.
 */
import {
  type CommitCertificate,
  type CutId,
  commitCertificateOf,
  createValidatorSet,
  decideSigning,
  type Effect,
  type FinalityState,
  type HeightContext,
  height,
  type Input,
  initialState,
  membersOf,
  type PolkaCertificate,
  type Proposal,
  polkaCertificateOf,
  previousCommitsOf,
  RULES,
  type Rules,
  recover,
  round,
  type SignedMessage,
  type SignState,
  signStepOf,
  step,
  trimCertificate,
  type UnsignedMessage,
  type Value,
  type Vote,
  withSignature,
} from 'svc-consensus/machine';

export const VALIDATORS = 4;
const SET = createValidatorSet('set', new Array(VALIDATORS).fill(1n));
const NIL_CODE = -1;

/** What the model writes into its traces. */
export interface ModelMessage {
  readonly kind: SignedMessage['kind'];
  readonly height: number;
  readonly round: number;
  readonly validRound: number;
  readonly value: number;
  readonly by: number;
}
export interface ModelCertificate extends Omit<ModelMessage, 'by' | 'kind'> {
  readonly kind: 'none' | 'commit' | 'polka';
  readonly signers: readonly number[];
}
export interface ModelTable {
  readonly round: number;
  readonly signers: readonly number[];
}
interface Place {
  readonly round: number;
  readonly value: number;
}
export type ModelInput =
  | { readonly tag: 'TimedOut'; readonly value: { readonly timer: string; readonly round: number } }
  | { readonly tag: 'Said'; readonly value: ModelMessage }
  | { readonly tag: 'Certified'; readonly value: ModelCertificate }
  | { readonly tag: 'Built'; readonly value: Place }
  | {
      readonly tag: 'Judged';
      readonly value: { readonly value: number; readonly isValid: boolean };
    };
export interface ModelNode {
  readonly self: number;
  readonly height: number;
  readonly round: number;
  readonly phase: string;
  readonly locked: Place;
  readonly valid: ModelCertificate;
  readonly isPrevoteTimerSet: boolean;
  readonly isPolkaSeen: boolean;
  readonly isPrecommitTimerSet: boolean;
  readonly proposals: readonly ModelMessage[];
  readonly votes: readonly ModelMessage[];
  readonly far: readonly ModelMessage[];
  readonly polkas: readonly ModelCertificate[];
  readonly accused: readonly {
    readonly kind: string;
    readonly round: number;
    readonly by: number;
  }[];
  readonly verdicts: ReadonlyMap<number, boolean>;
  readonly certified: ModelCertificate;
  readonly previous: ModelCertificate;
  readonly tables: readonly ModelTable[];
  readonly early: readonly ModelMessage[];
  readonly log: readonly unknown[];
  readonly synced: number;
  readonly said: readonly ModelMessage[];
  readonly decisions: readonly ModelCertificate[];
}

type Pending = { readonly sign: UnsignedMessage } | { readonly input: Input };

export class CodeNode {
  readonly self: number;
  readonly #rules: Rules;
  state: FinalityState;
  log: Input[] = [];
  synced = 0;
  #record: SignState = {
    keyId: new Uint8Array(),
    silentThrough: height(0),
    stopped: false,
    last: undefined,
  };
  readonly said: UnsignedMessage[] = [];
  readonly decisions: CommitCertificate[] = [];
  /** Rows of the transition table that fired. */
  readonly rows = new Set<number>();
  /** What the last `buildCut` says of the height before. */
  claim: ModelTable | undefined;

  constructor(self: number, rules: Rules = RULES) {
    this.self = self;
    this.#rules = rules;
    const context = contextOf(1, self);
    this.state = initialState(context);
    this.#run([{ input: { type: 'startHeight', context } }]);
  }

  give(input: Input): void {
    this.#run([{ input }]);
  }

  /** A crash leaves so many records of the log besides its first one. */
  restart(records: number): void {
    this.log = this.log.slice(0, records + 1);
    this.synced = records + 1;
    const stored = this.decisions.at(-1);
    const previous =
      stored === undefined ? undefined : previousCommitsOf(SET, trimCertificate(SET, stored));
    const found = recover({ log: this.log, previous, holdsCut: () => true }, this.#rules);
    this.state = found.state;
    this.#run(found.effects.flatMap((effect) => this.#carryOut(effect)));
  }

  #run(pending: Pending[]): void {
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const input = 'sign' in next ? this.#sign(next.sign) : next.input;
      if (input === undefined) continue;
      const { state, effects, rows } = step(this.state, input, this.#rules);
      this.state = state;
      for (const row of rows) this.rows.add(row);
      for (const effect of effects) pending.push(...this.#carryOut(effect));
    }
  }

  #carryOut(effect: Effect): Pending[] {
    switch (effect.type) {
      case 'resetLog':
        this.log = [];
        this.synced = 0;
        return [];
      case 'append':
        this.log.push(effect.input);
        return [];
      case 'sync':
        this.synced = this.log.length;
        return [];
      case 'sign':
        return [{ sign: effect.message }];
      case 'buildCut':
        this.claim = { round: effect.previousRound, signers: membersOf(effect.previousSigners) };
        return [];
      case 'decide': {
        this.decisions.push(effect.certificate);
        const context = contextOf(effect.certificate.height + 1, this.self);
        return [{ input: { type: 'startHeight', context } }];
      }
      default:
        return [];
    }
  }

  #sign(message: UnsignedMessage): Input | undefined {
    const signedBytes = new TextEncoder().encode(JSON.stringify(message));
    const { height: at, round: of, kind } = message;
    const request = { height: at, round: of, step: signStepOf(kind), signedBytes };
    const { type } = decideSigning(this.#record, request);
    if (type === 'refuse') return undefined;
    const signature = Uint8Array.of(this.self);
    this.#record = { ...this.#record, last: { ...request, signature } };
    if (type === 'sign') this.said.push(message);
    return { type: 'signed', message: withSignature(message, signature) };
  }
}

function contextOf(at: number, self: number): HeightContext {
  const proposers = Array.from({ length: VALIDATORS }, (_, of) => (at - 1 + of) % VALIDATORS);
  return { height: height(at), set: SET, proposers, self, startAtMs: BigInt(at) };
}

// ---- Inputs -------------------------------------------------------------------------------------

const cutOf = (value: number): CutId => value.toString(16).padStart(96, '0') as CutId;
const voteValueOf = (code: number): Value => (code === NIL_CODE ? null : cutOf(code));
const codeOf = (value: Value | undefined): number =>
  value === null || value === undefined ? NIL_CODE : Number.parseInt(value, 16);

function messageOf(message: ModelMessage): SignedMessage {
  const { kind, height: at, round: of, validRound, value, by } = message;
  const unsigned = {
    kind,
    height: height(at),
    round: round(of),
    validRound: round(validRound),
    value: voteValueOf(value),
    validatorIndex: by,
  } as UnsignedMessage;
  return withSignature(unsigned, Uint8Array.of(by));
}

function certificateOf(certificate: ModelCertificate): CommitCertificate | PolkaCertificate {
  const { kind, signers, value } = certificate;
  const of = kind === 'commit' ? 'precommit' : 'prevote';
  const votes = signers.map((by) => messageOf({ ...certificate, kind: of, by }) as Vote);
  const make = kind === 'commit' ? commitCertificateOf : polkaCertificateOf;
  return make(votes, cutOf(value));
}

/** An input of the model as the machine takes it at some height. */
export function codeInput(input: ModelInput, node: FinalityState): Input {
  const { height: at, startAtMs: nowMs } = node.context;
  switch (input.tag) {
    case 'TimedOut': {
      const { timer, round: of } = input.value;
      return { type: 'timer', timer, height: at, round: round(of), nowMs } as Input;
    }
    case 'Said': {
      const message = messageOf(input.value);
      if (message.kind !== 'proposal') return { type: 'vote', vote: message };
      const proposal: Proposal = message;
      return { type: 'proposal', proposal, cutTimeMs: nowMs, receivedAtMs: nowMs };
    }
    case 'Certified': {
      const certificate = certificateOf(input.value);
      return { type: certificate.kind, certificate } as Input;
    }
    case 'Built': {
      const { round: of, value } = input.value;
      return { type: 'cutBuilt', height: at, round: round(of), value: cutOf(value) };
    }
    case 'Judged': {
      const { value, isValid } = input.value;
      return {
        type: 'verdict',
        height: at,
        value: cutOf(value),
        verdict: isValid ? 'valid' : 'invalid',
      };
    }
  }
}

// ---- What both hold -----------------------------------------------------------------------------

type Said = Pick<ModelMessage, 'kind' | 'height' | 'round' | 'validRound' | 'value' | 'by'>;

const sorted = (lines: readonly string[]): string[] => [...lines].sort();
const messageLine = ({ kind, height: at, round: of, validRound, value, by }: Said): string =>
  [kind, at, of, validRound, value, by].join(' ');
const lineOf = (message: UnsignedMessage): string =>
  messageLine({ ...message, value: codeOf(message.value), by: message.validatorIndex });
const polkaLine = ({ round: of, value, validRound }: Omit<ModelCertificate, 'signers'>): string =>
  [of, value, validRound].join(' ');
const placeLine = (place: Place | undefined): string =>
  place === undefined ? '-1 -1' : `${place.round} ${place.value}`;
const tableLine = ({ round: of, signers }: ModelTable): string =>
  `${of}: ${[...signers].sort().join()}`;

export type View = Readonly<Record<string, unknown>>;

export function viewOfModel(node: ModelNode): View {
  const { locked, valid, certified, previous } = node;
  return {
    at: [node.height, node.round, node.phase].join(' '),
    locked: placeLine(locked),
    valid: placeLine(valid),
    flags: [node.isPrevoteTimerSet, node.isPolkaSeen, node.isPrecommitTimerSet].join(' '),
    // In the order of their arrival within a round: the first one counts.
    proposals: node.proposals.map(messageLine).toSorted(byRound),
    votes: sorted(node.votes.map(messageLine)),
    far: sorted(node.far.map(messageLine)),
    polkas: sorted(node.polkas.map(polkaLine)),
    accused: sorted(node.accused.map(({ kind, round: of, by }) => `${kind} ${of} ${by}`)),
    verdicts: sorted([...node.verdicts].map(([value, isValid]) => `${value} ${isValid}`)),
    certified: placeLine(certified),
    previous: placeLine(previous),
    tables: node.tables.map(tableLine),
    early: node.early.map(messageLine),
    said: sorted(node.said.map(messageLine)),
    log: `${node.log.length} records, ${node.synced} synced`,
    decisions: node.decisions.map(placeLine),
  };
}

const byRound = (a: string, b: string): number => Number(a.split(' ')[2]) - Number(b.split(' ')[2]);

export function viewOfCode({ state, log, synced, said, decisions }: CodeNode): View {
  const { context, round: at, keeper, previous } = state;
  const place = (of: { round: number; value: Value } | undefined): string =>
    placeLine(of && { round: of.round, value: codeOf(of.value) });
  const votes = keeper.records.flatMap(({ prevotes, precommits }) =>
    [...prevotes.slots, ...precommits.slots].flatMap((vote) => vote ?? []),
  );
  const accused = keeper.records.flatMap((record) =>
    (['proposal', 'prevote', 'precommit'] as const).flatMap((kind) =>
      membersOf(record.accused[kind]).map((by) => `${kind} ${record.round} ${by}`),
    ),
  );
  return {
    at: [context.height, at.round, at.step].join(' '),
    locked: place(at.locked),
    valid: place(at.valid),
    flags: [at.prevoteTimerSet, at.polkaSeen, at.precommitTimerSet].join(' '),
    proposals: keeper.records.flatMap(({ proposals }) =>
      proposals.map(({ proposal }) => lineOf(proposal)),
    ),
    votes: sorted(votes.map(lineOf)),
    far: sorted(keeper.far.flatMap((vote) => (vote === undefined ? [] : [lineOf(vote)]))),
    polkas: sorted(
      keeper.polkas.map((polka) =>
        polkaLine({ ...polka, kind: 'polka', value: codeOf(polka.value) }),
      ),
    ),
    accused: sorted(accused),
    verdicts: sorted(
      [...state.verdicts].map(([value, verdict]) => `${codeOf(value)} ${verdict === 'valid'}`),
    ),
    certified: place(state.certified),
    previous: place(previous?.certificate),
    tables: [...(previous?.tables ?? [])].map(([of, { voters }]) =>
      tableLine({ round: of, signers: membersOf(voters) }),
    ),
    early: [...state.next.values()].map(({ message }) => lineOf(message)),
    said: sorted(said.map(lineOf)),
    log: `${log.length - 1} records, ${Math.max(0, synced - 1)} synced`,
    decisions: decisions.map(place),
  };
}

/** An input of the model as Quint writes it. */
export function quintInput({ tag, value }: ModelInput): string {
  return `${tag}(${quintOf(value)})`;
}

function quintOf(value: unknown): string {
  if (Array.isArray(value)) return `Set(${value.map(quintOf).join(', ')})`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value as object).map(([name, part]) => `${name}: ${quintOf(part)}`);
  return `{ ${fields.join(', ')} }`;
}
