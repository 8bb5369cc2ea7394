/**
 * What a full node of the simulation does with blocks and logs, in a form that a mutant can break.
 */
import type { Clock } from 'svc-base/pure';
import type { SignStateChoice, ValidatorBlocks, ValidatorChain } from 'svc-consensus/shell';
import type { NetworkApplication } from 'svc-network';
import type { SocketAddress } from 'svc-network/peering';
import type { ProposalBlocks, RotatingSeat, WorkBlockPool } from 'svc-node/chain';
import { toHex } from 'svc-wasm/base';
import type { NodePeersOptions } from './node-peers.ts';

const NEVER_MS = 1_000_000_000;

type Submission = (header: Uint8Array, body: Uint8Array) => Promise<unknown>;

/** The two ways of a block into a node: a miner or peer brings it, or a proposal names it. */
export interface BlockGates {
  readonly fromMiner: Submission;
  readonly forProposal: (...block: Parameters<ValidatorBlocks['submit']>) => Promise<unknown>;
}

export const NODE_RULES = {
  gatesOf: (pool: WorkBlockPool, proposals: ProposalBlocks): BlockGates => ({
    fromMiner: (header, body) => pool.submit(header, body),
    forProposal: (header, body, isNeeded) => proposals.submit(header, body, isNeeded),
  }),
  /** Whether blocks that a proposal names are on the disk. */
  keepsProposalBlocks: true as boolean,
  /** The clock of relay and sync. */
  peerClockOf: (clock: Clock): Clock => clock,
  applicationOf: (application: NetworkApplication): NetworkApplication => application,
  /** Where a peer comes from, as the node sees it. */
  addressOf: (address: SocketAddress): SocketAddress | undefined => address,
  peeringOf: (options: NodePeersOptions): NodePeersOptions => options,
  /** What happens to the keys of a validator that rotates. */
  keys: {
    /** The chain as one of the two keys sees it. */
    chainOf: (chain: ValidatorChain): ValidatorChain => chain,
    /** How a record begins at the first start of a validator of the genesis, so long after it. */
    firstRecordOf: (_lateMs: number): SignStateChoice => 'first',
    /** How the record of the next key begins. */
    recordOf: (choice: SignStateChoice): SignStateChoice => choice,
    seatOf: (seat: RotatingSeat): RotatingSeat => seat,
  },
  /** The distance of the cuts of a network that comes back from an outage, given its pace. */
  distanceMs: (paceMs: number): number => paceMs,
};
export type NodeRules = Readonly<typeof NODE_RULES>;

interface NodeMutant {
  readonly name: string;
  readonly breaks: string;
  readonly rules: NodeRules;
}

function mutant(name: string, breaks: string, change: Partial<NodeRules>): NodeMutant {
  return { name, breaks, rules: { ...NODE_RULES, ...change } };
}

function peeringMutant(
  name: string,
  breaks: string,
  change: (options: NodePeersOptions) => Partial<NodePeersOptions>,
): NodeMutant {
  return mutant(name, breaks, { peeringOf: (options) => ({ ...options, ...change(options) }) });
}

function keyMutant(name: string, breaks: string, change: Partial<NodeRules['keys']>): NodeMutant {
  return mutant(name, breaks, { keys: { ...NODE_RULES.keys, ...change } });
}

export const NODE_MUTANTS: readonly NodeMutant[] = [
  mutant(
    'oneBlockForABody',
    'a node has one block for a body, also where a proposal names another',
    {
      gatesOf: (pool, proposals) => {
        const { fromMiner, forProposal } = NODE_RULES.gatesOf(pool, proposals);
        const isFirst = firstForBody();
        return {
          fromMiner: async (header, body) => isFirst(header, body) && fromMiner(header, body),
          forProposal: async (header, body, isNeeded) =>
            isFirst(header, body) && forProposal(header, body, isNeeded),
        };
      },
    },
  ),
  mutant(
    'proposalsThroughPool',
    'blocks of a proposal have to find space in the pool and in its budget for hashes',
    {
      gatesOf: (pool) => ({
        fromMiner: (header, body) => pool.submit(header, body),
        forProposal: (header, body) => pool.submit(header, body),
      }),
    },
  ),
  mutant(
    'proposalBlocksForgotten',
    'blocks that a proposal named are not on the disk before the vote',
    { keepsProposalBlocks: false },
  ),
  mutant(
    'refusalsRemembered',
    'a transaction that a lagging peer refused is never asked for or announced again',
    {
      applicationOf: withoutLater,
      peeringOf: (options) => ({ ...options, repeatMillis: NEVER_MS }),
    },
  ),
  peeringMutant(
    'claimsDeafen',
    'a node hears no announcements while peers claim heights that they have not proven',
    () => ({ hears: ({ isSynced }) => isSynced }),
  ),
  peeringMutant(
    'claimsBelieved',
    'heights that peers claim and never prove keep a validator from signing',
    ({ timing }) => ({ timing: { ...timing, doubtMillisMax: NEVER_MS } }),
  ),
  peeringMutant(
    'visitsFree',
    'a claim costs nothing but the time for which it is made',
    ({ timing }) => ({ timing: { ...timing, doubtVisitMillis: 0 } }),
  ),
  peeringMutant(
    'firstSourceOnly',
    'the first peer that announced something is waited for, however long it is silent',
    () => ({
      wantedOptionsOf: (given) => ({
        ...given,
        looksBeforeMore: Number.POSITIVE_INFINITY,
        timeoutMillis: NEVER_MS,
      }),
    }),
  ),
  mutant('originsForgotten', 'budgets belong to a name: a peer with another one begins anew', {
    addressOf: () => undefined,
  }),
  peeringMutant(
    'noPatience',
    'a peer that does not answer at once counts as silent',
    ({ timing }) => ({
      timing: { ...timing, silenceMillisMax: 1 },
    }),
  ),
  mutant(
    'waitsByWallClock',
    'relay and sync wait until the wall clock says that the time is over',
    { peerClockOf: withWallClockWaits },
  ),
  keyMutant(
    'lateStartSilent',
    'a key that starts for the first time after the genesis counts as one that may have signed',
    { firstRecordOf: (lateMs) => (lateMs > 0 ? 'new' : 'first') },
  ),
  keyMutant('keySwitchesLate', 'the old key signs the first cut of the epoch of the switch', {
    chainOf: withLateSwitch,
  }),
  keyMutant(
    'nextKeySilent',
    'the next key begins its record like one that may have signed elsewhere',
    { recordOf: () => 'new' },
  ),
  keyMutant('oldKeyStays', 'the old key is not retired', {
    seatOf: (seat) => {
      const { driver } = seat;
      const staying = {
        get status() {
          return driver.status;
        },
        retire: () => {},
      };
      return { ...seat, driver: staying };
    },
  }),
  keyMutant('heartbeatsOfOldKey', 'heartbeats are signed by the old key alone', {
    seatOf: (seat) => ({ ...seat, heartbeatKeys: [seat.key] }),
  }),
  mutant(
    'outageMadeGoodAtAnyPace',
    'cuts follow each other at two fifths of the pace, however short that is',
    { distanceMs: (paceMs) => Math.floor((paceMs * 2) / 5) },
  ),
];

/** At the first cut of an epoch the keys of the epoch before count. */
function withLateSwitch(chain: ValidatorChain): ValidatorChain {
  return new Proxy(chain, {
    get: (target, name: keyof ValidatorChain) => {
      const found = Reflect.get(target, name, target) as unknown;
      if (typeof found === 'function') return found.bind(target) as unknown;
      if (name !== 'next') return found;
      const { next, interval } = target;
      const isFirst = next.height > 1 && next.height % interval === 1;
      const before = isFirst ? target.setAt(next.height - 1) : undefined;
      return before === undefined ? next : { ...next, validators: before };
    },
  });
}

/** A wait by the wall clock looks at it so often. */
const WALL_LOOK_MS = 250;

/** A clock that measures and waits by its wall clock. */
function withWallClockWaits(clock: Clock): Clock {
  const now = (): number => clock.now();
  const after = (delayMillis: number, call: () => void): (() => void) => {
    const untilMillis = now() + delayMillis;
    const look = (): void => {
      const left = untilMillis - now();
      if (left <= 0) call();
      else cancel = clock.after(Math.min(left, WALL_LOOK_MS), look);
    };
    let cancel = clock.after(Math.min(delayMillis, WALL_LOOK_MS), look);
    return () => cancel();
  };
  return { now, monotonic: now, after };
}

/** What may become valid counts as refused. */
function withoutLater(application: NetworkApplication): NetworkApplication {
  return new Proxy(application, {
    get: (target, name: keyof NetworkApplication) => {
      if (name !== 'submitTransaction') return Reflect.get(target, name) as unknown;
      return async (...given: Parameters<NetworkApplication['submitTransaction']>) => {
        const { reception, ...rest } = await target.submitTransaction(...given);
        return { ...rest, reception: reception === 'later' ? 'ignore' : reception };
      };
    },
  });
}

/** Whether a header is the first that came with its body. */
function firstForBody(): (header: Uint8Array, body: Uint8Array) => boolean {
  const headers = new Map<string, string>();
  return (header, body) => {
    const [name, found] = [toHex(body), toHex(header)];
    const known = headers.get(name);
    if (known === undefined) headers.set(name, found);
    return known === undefined || known === found;
  };
}
