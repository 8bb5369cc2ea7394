import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closeRound,
  FIRST_ROOT,
  payoutText,
  type Round,
  type RoundTerms,
  roundDocument,
  roundRoot,
  type WindowEntry,
} from 'svc-mining';
import { encodeRecipientPayloads, init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import type { CountedShare } from '../sources/work-source.ts';
import { type AuditPorts, auditRound, type Finding } from './verify-round.ts';

await init();

const POOL = 'pooladdress1';
const OWN = 'mineraddress1';
const OTHER = 'mineraddress2';
const WINDOW: readonly WindowEntry[] = [
  { account: OWN, work: 600n },
  { account: OTHER, work: 400n },
];
const SHARES: readonly CountedShare[] = [1, 2, 3].map((cut) => ({
  poolAddress: POOL,
  work: 200n,
  jobHeight: 100 + cut,
  newestHeight: 101 + cut,
}));

/** What a pool has published, what the ledger has, and what the miner kept. */
interface World {
  rounds: { round: Round; root: string }[];
  readonly rewards: Map<string, string>;
  payload: string;
  readonly shares: readonly CountedShare[];
}

function termsOf(number: number, before?: { round: Round; root: string }): RoundTerms {
  return {
    number,
    previousRoot: before?.root ?? FIRST_ROOT,
    mode: 'pplns',
    blockId: String(number).padStart(96, '0'),
    reward: 1_001n,
    feeBasisPoints: 100n,
    carried: before?.round.leftover ?? 0n,
    windowWork: 1_000n,
    fromHeight: 100,
    toHeight: 110,
  };
}

const published = (round: Round) => ({ round, root: roundRoot(round) });

function payloadOf(number: number, root: string): string {
  const entries = [{ output_index: '0', text: payoutText(number, root) }];
  return toHex(encodeRecipientPayloads(JSON.stringify(entries)));
}

/** Three honest rounds, the last of which was paid. */
function honestWorld(): World {
  const rounds: World['rounds'] = [];
  for (const number of [1, 2, 3])
    rounds.push(published(closeRound(termsOf(number, rounds.at(-1)), WINDOW)));
  return {
    rounds,
    rewards: new Map(rounds.map(({ round }) => [round.blockId, '1001'])),
    payload: payloadOf(3, rounds[2]?.root as string),
    shares: SHARES,
  };
}

function portsOf(world: World): AuditPorts {
  return {
    readPool: async (path) => {
      if (path === '/v1/stats') return { pool: { address: POOL } };
      if (path.startsWith('/v1/miners/'))
        return { payouts: [{ round: 3, state: 'final', transaction: 'ab'.repeat(48) }] };
      const number = Number(path.split('/').at(-1));
      const entry = world.rounds.find(({ round }) => round.number === number);
      // Through text, as it comes over the network.
      return entry === undefined
        ? undefined
        : (JSON.parse(JSON.stringify(roundDocument(entry.round, entry.root))) as unknown);
    },
    readNode: async (path) => {
      if (path.startsWith('/v1/transactions/')) return { payload_hex: world.payload };
      const amount = world.rewards.get(path.slice(path.lastIndexOf('/') + 1));
      return { payout_address: POOL, reward: { state: 'paid', amount } };
    },
    readShares: () => world.shares,
  };
}

async function badFindings(world: World): Promise<string[]> {
  const options = { round: 2, address: OWN, marginCuts: 2 };
  const findings: Finding[] = await auditRound(portsOf(world), options);
  return findings.filter(({ verdict }) => verdict === 'bad').map(({ text }) => text);
}

/** Puts other figures into round 2; the root stays what was published. */
function change(world: World, figures: Partial<Round>): void {
  const [first, second, third] = world.rounds as [
    World['rounds'][0],
    World['rounds'][0],
    World['rounds'][0],
  ];
  const round = { ...second.round, ...figures };
  world.rounds = [first, { ...second, round }, third];
}

/** Another round 2 with its own root and a round 3 that follows it: the chain is consistent again. */
function replace(world: World, round: Round): void {
  const [first] = world.rounds as [World['rounds'][0]];
  const second = published(round);
  const third = published(closeRound(termsOf(3, second), WINDOW));
  world.rounds = [first, second, third];
}

test('an honest round has no bad finding, and every part of it was looked at', async () => {
  const findings = await auditRound(portsOf(honestWorld()), {
    round: 2,
    address: OWN,
    marginCuts: 2,
  });
  assert.deepEqual(
    findings.map(({ verdict }) => verdict),
    ['good', 'good', 'good', 'good', 'good', 'good'],
    JSON.stringify(findings),
  );
});

const second = (world: World): Round => (world.rounds[1] as { round: Round }).round;
const first = (world: World) => world.rounds[0] as { round: Round; root: string };

const LIES: readonly (readonly [string, (world: World) => void, RegExp])[] = [
  [
    'a reward below what the ledger paid',
    (world) => {
      const terms = { ...termsOf(2, first(world)), reward: 901n };
      replace(world, closeRound(terms, WINDOW));
      world.payload = payloadOf(3, world.rounds[2]?.root as string);
    },
    /the ledger says paid 1001, the pool says paid 901/,
  ],
  [
    'a root of other figures',
    (world) => change(world, { toHeight: second(world).toHeight + 1 }),
    /its root is of other figures/,
  ],
  [
    'a share of the reward that the work does not give',
    (world) =>
      change(world, {
        entries: second(world).entries.map((entry) =>
          entry.address === OWN ? { ...entry, atoms: entry.atoms - 1n } : entry,
        ),
      }),
    /mineraddress1 is given [0-9]+ atoms instead of [0-9]+/,
  ],
  [
    'a miner that was left out, with figures that fit together',
    (world) => {
      replace(world, closeRound(termsOf(2, first(world)), [{ account: OTHER, work: 400n }]));
      world.payload = payloadOf(3, world.rounds[2]?.root as string);
    },
    /3 own shares with 600 hashes lie in its window, it counts 0/,
  ],
  [
    'fewer shares than were acknowledged, with figures that fit together',
    (world) => {
      const fewer = [{ account: OWN, work: 599n }, WINDOW[1] as WindowEntry];
      replace(world, closeRound(termsOf(2, first(world)), fewer));
      world.payload = payloadOf(3, world.rounds[2]?.root as string);
    },
    /3 own shares with 600 hashes lie in its window, it counts 599/,
  ],
  [
    'more work than the window holds, which dilutes the others',
    (world) => {
      const more = [...WINDOW, { account: 'mineraddress3', work: 1n }];
      replace(world, closeRound(termsOf(2, first(world)), more));
      world.payload = payloadOf(3, world.rounds[2]?.root as string);
    },
    /the entries have more work than the window holds/,
  ],
  [
    'an address that is listed twice',
    (world) => {
      const [entry, ...rest] = second(world).entries;
      assert.ok(entry !== undefined);
      change(world, { entries: [entry, entry, ...rest] });
    },
    /the entries are not ordered by address, each address once/,
  ],
  [
    'a higher fee than the terms say',
    (world) => change(world, { fee: second(world).fee + 1n }),
    /the fee is 11 instead of 10/,
  ],
  [
    'leftover atoms of the round before that are kept',
    (world) => {
      const terms = { ...termsOf(2, first(world)), carried: 0n };
      assert.notEqual(first(world).round.leftover, 0n);
      replace(world, closeRound(terms, WINDOW));
      world.payload = payloadOf(3, world.rounds[2]?.root as string);
    },
    /it does not carry what the round before left over/,
  ],
  [
    'a round that follows another than the one before it',
    (world) => {
      const terms = { ...termsOf(2, first(world)), previousRoot: 'ab'.repeat(48) };
      replace(world, closeRound(terms, WINDOW));
      world.payload = payloadOf(3, world.rounds[2]?.root as string);
    },
    /it does not follow the round before it/,
  ],
  [
    'a block that pays the pool nothing',
    (world) => void world.rewards.delete(second(world).blockId),
    /the ledger says paid undefined, the pool says paid 1001/,
  ],
  [
    'figures that were changed after the payment',
    (world) => {
      const fewer = [
        { account: OWN, work: 650n },
        { account: OTHER, work: 350n },
      ];
      replace(world, closeRound(termsOf(2, first(world)), fewer));
    },
    /the payment carries another root/,
  ],
  [
    'a payment with the root of an earlier round',
    (world) => {
      world.payload = payloadOf(1, first(world).root);
    },
    /the payment carries the root of an earlier round/,
  ],
  [
    'a payment without a root',
    (world) => {
      world.payload = '';
    },
    /the payment carries no root/,
  ],
  [
    'a round that is missing between this one and the payment',
    (world) => {
      world.rounds = world.rounds.slice(0, 2);
    },
    /round 3 is missing/,
  ],
];

for (const [lie, tell, expected] of LIES)
  test(`verify-round finds ${lie}`, async () => {
    const world = honestWorld();
    tell(world);
    const findings = await badFindings(world);
    assert.ok(
      findings.some((text) => expected.test(text)),
      JSON.stringify(findings),
    );
  });
