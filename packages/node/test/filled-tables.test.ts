/**
 * One validator of four that breaks no rule: three honest ones decide the same cut in rounds far apart, are sent
 * precommits of rounds that never were, and have to agree on the next cut without it.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import {
  type CutId,
  decodeMessage,
  encodeMessage,
  type Height,
  height as heightOf,
  isBitSet,
  limits,
  NIL,
  NO_ROUND,
  round as roundOf,
  signedBytesOf,
  type UnsignedVote,
  type Vote,
  type WireMessage,
} from 'svc-consensus/machine';
import { Cluster, type ClusterNode } from '../src/testing/cluster.ts';

const MEMORY = '/dev/shm';
const HONEST = [0, 1, 2] as const;
const CUT_OFF = 0;
const LIAR = 3;
const JUNK_ROUND_MIN = 100;
const JUNK_ROUNDS = 2 * limits.SUMMARY_ROUNDS_MAX;

type Said = Pick<UnsignedVote, 'kind' | 'height' | 'round' | 'validRound' | 'value'>;

/** The fourth validator, which has no node: it hears everybody and says what the test has it say. */
class Liar {
  /** The height that it splits, once one of the others has decided it alone. */
  split: { readonly height: Height; readonly value: CutId; readonly round: number } | undefined;
  readonly #cluster: Cluster;
  readonly #said = new Set<string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  begin(): void {
    const overlay = this.#cluster.hub.join(this.#cluster.validatorId(LIAR));
    overlay.listen((_from, bytes) => this.#hear(bytes));
  }

  sendTo(place: number, said: Said): void {
    const { wire } = this.#cluster.node(1).chain;
    const vote = { ...said, validatorIndex: this.#cluster.indexOf(LIAR, 1) };
    const signature = this.#cluster.key(LIAR).sign(signedBytesOf(wire, vote), vote.kind);
    this.give(place, { ...vote, signature });
  }

  give(place: number, message: WireMessage): void {
    const { hub } = this.#cluster;
    const bytes = encodeMessage(this.#cluster.node(1).chain.wire, message);
    hub.deliver(this.#cluster.validatorId(LIAR), this.#cluster.validatorId(place), bytes);
  }

  #hear(bytes: Uint8Array): void {
    const cutOff = this.#cluster.node(CUT_OFF);
    const message = decodeMessage(this.#cluster.node(1).chain.wire, bytes);
    if (message.kind !== 'prevote' && message.kind !== 'precommit') return;
    if (message.validatorIndex === this.#cluster.indexOf(CUT_OFF, 1)) return;
    if (this.split !== undefined && message.height > this.split.height) return;
    if (cutOff.chain.head.height >= message.height) this.#keepApart(message);
    else this.#help(message);
  }

  /** The node that is cut off decides with the precommits of the others, who lack its own. */
  #help({ kind, height, round, validRound, value }: Vote): void {
    if (kind === 'prevote') this.#say({ kind, height, round, validRound, value });
    else this.#say({ kind, height, round, validRound: NO_ROUND, value: NIL });
  }

  /** Nil until the others have forgotten the round of the decision; then they decide the same cut. */
  #keepApart({ kind, height, round, validRound, value }: Vote): void {
    const { chain } = this.#cluster.node(CUT_OFF);
    this.split ??= { height, value: chain.recentCutId(height) as CutId, round };
    if (round <= this.split.round + limits.ROUNDS_BEHIND_MAX) {
      this.#say({ kind: 'prevote', height, round, validRound: NO_ROUND, value: NIL });
      this.#say({ kind: 'precommit', height, round, validRound: NO_ROUND, value: NIL });
    } else this.#say({ kind, height, round, validRound, value });
  }

  #say(said: Said): void {
    const key = `${said.kind}/${said.height}/${said.round}`;
    if (this.#said.has(key)) return;
    this.#said.add(key);
    for (const place of HONEST)
      if (place !== CUT_OFF || this.split === undefined) this.sendTo(place, said);
  }
}

interface Splitting {
  readonly withJunk: boolean;
  readonly withRestart: boolean;
}

async function splitAndHeal(t: TestContext, { withJunk, withRestart }: Splitting): Promise<void> {
  let isCut = false;
  const passes = (from: string, to: string): boolean => {
    const [victim, fourth] = [cluster.validatorId(CUT_OFF), cluster.validatorId(LIAR)];
    if (!isCut || from === fourth || to === fourth) return true;
    return from !== victim && (to !== victim || liar.split === undefined);
  };
  const cluster = await Cluster.create({
    ...(existsSync(MEMORY) ? { root: MEMORY } : {}),
    paceMillis: 100,
    delay: (from, to) => (passes(from, to) ? 0 : null),
  });
  t.after(() => cluster.end());
  const liar = new Liar(cluster);
  const nodes = HONEST.map((place) => cluster.node(place));
  for (const node of nodes) await node.start();
  await cluster.reach(3, HONEST);
  isCut = true;
  liar.begin();
  const isSplit = ({ driver }: ClusterNode) =>
    driver.status.height === 1 + (liar.split?.height ?? 0);
  await cluster.until(
    () => liar.split !== undefined && nodes.every(isSplit),
    () => `one cut decided in two rounds, ${nodes.map(({ driver }) => driver.status.height)}`,
  );
  const split = liar.split ?? assert.fail('nothing is split');
  const rounds = nodes.map(({ driver }) => driver.state.previous?.certificate.round ?? -1);
  assert.ok(
    rounds.slice(1).every((round) => round > (rounds[0] as number) + limits.ROUNDS_BEHIND_MAX),
  );
  if (withJunk) {
    await sendJunk(cluster, liar, split);
    const held = nodes.map(({ driver }) => [...(driver.state.previous?.tables.keys() ?? [])]);
    assert.deepEqual(
      held,
      rounds.map((round) => [round]),
      'each holds the round of its own certificate alone',
    );
  }
  if (withRestart) {
    for (const node of nodes) await node.stop();
    for (const node of nodes) await node.start('existing');
  }
  isCut = false;
  await cluster.reach(split.height + 4, HONEST);
  assert.deepEqual(cluster.fatal, []);
  for (const { driver, chain } of nodes) {
    assert.equal(driver.evidence, 0, 'nobody signed twice');
    assert.equal(chain.recentCutId(split.height), split.value);
  }
}

/** Precommits of the decided cut, and a certificate that nobody has asked for; a vote after them shows that they came in. */
async function sendJunk(
  cluster: Cluster,
  liar: Liar,
  { height, value }: NonNullable<Liar['split']>,
): Promise<void> {
  const next = heightOf(height + 1);
  const last = {
    kind: 'prevote',
    height: next,
    round: roundOf(0),
    validRound: NO_ROUND,
    value: NIL,
  } as const;
  const { certificate } = cluster.node(CUT_OFF).driver.state.previous ?? assert.fail('it decided');
  for (const place of HONEST) {
    liar.give(place, certificate);
    for (let junk = 0; junk < JUNK_ROUNDS; junk++) {
      const round = roundOf(JUNK_ROUND_MIN + junk);
      liar.sendTo(place, { kind: 'precommit', height, round, validRound: NO_ROUND, value });
    }
    liar.sendTo(place, last);
  }
  const seat = cluster.indexOf(LIAR, 1);
  const hasHeard = ({ driver }: ClusterNode) =>
    driver.state.keeper.records.some(({ prevotes }) => isBitSet(prevotes.voters, seat));
  await cluster.until(
    () => HONEST.every((place) => hasHeard(cluster.node(place))),
    () => 'the vote after the junk',
  );
}

for (const [name, splitting] of [
  ['decide the same cut in rounds far apart', { withJunk: false, withRestart: false }],
  [
    'do so and are sent precommits of rounds that never were',
    { withJunk: true, withRestart: false },
  ],
  ['do so, are sent such precommits and all restart', { withJunk: true, withRestart: true }],
] as const)
  test(`three of four validators go on when they ${name}`, (t) => splitAndHeal(t, splitting));
