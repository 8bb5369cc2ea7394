/**
 * The files of a private network before its first start: a genesis with as many validators as wanted, and for
 * each node a folder with its configuration and, for a validator, sealed keys, overlay keys and an empty record
 * of signatures.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { ValidatorKey } from 'svc-consensus/shell';
import {
  ATOMS_PER_COIN,
  chainIdOf,
  developmentGenesis,
  formatGenesis,
  type Genesis,
  genesisValidatorId,
} from 'svc-ledger';
import { openOverlayEndpoint } from 'svc-network/endpoint';
import { init } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { createManifest, hashLabel, type Manifest, sealKeyFile } from 'svc-wasm/protocol';
import { type DevKeys, devKeys } from '../../../src/dev/dev-genesis.ts';
import { beginRecord } from '../../../src/validator/start-validator.ts';
import { loopbackPlace, type Place } from './place.ts';

export interface NodePlan {
  readonly name: string;
  /** A validator that others can dial, one that dials others only, or none. */
  readonly validator?: 'routed' | 'unrouted';
  /** Whether its validator has a tenth of the stake of the others. */
  readonly isSmall?: boolean;
  readonly storage?: 'archive' | 'full' | 'pruned';
  /** Little unless said otherwise: there are many nodes on one machine. */
  readonly cacheMegabytes?: number;
  /** Names of nodes whose addresses it is given. */
  readonly bootstrap?: readonly string[];
}

export interface NetworkPlan {
  readonly paceMillis: number;
  /** How long after now the chain begins: one that begins before its nodes run hurries until it has caught up. */
  readonly startsInMillis?: number;
  /** Of a chain that exists already; a validator of it must be given its overlay keys. */
  readonly genesis?: Genesis;
  readonly nodes: readonly NodePlan[];
  readonly placeOf?: (name: string) => Promise<Place>;
  /** Where its folder is made; in memory if absent. */
  readonly parent?: string;
}

export interface PlannedNode {
  readonly plan: NodePlan;
  readonly place: Place;
  readonly directory: string;
  /** Its number among the validators of the genesis; -1 for a node that signs nothing. */
  readonly validator: number;
}

const PASSWORD = 'correct horse battery staple';
const CHEAP = '{"memory_kib": "7168", "passes": "5", "lanes": "1"}';
const FEE_COINS = 1_000n;

export class PrivateNetwork {
  readonly directory: string;
  readonly genesis: Genesis;
  readonly manifest: Manifest;
  readonly keys: DevKeys;
  readonly nodes: ReadonlyMap<string, PlannedNode>;
  readonly chainId: string;

  static async make(plan: NetworkPlan): Promise<PrivateNetwork> {
    await init();
    const directory = temporaryDirectory(undefined, plan.parent ?? MEMORY_PARENT);
    const nodes = await planNodes(directory, plan);
    const validators = [...nodes.values()].filter(({ validator }) => validator >= 0);
    const keys = devKeys(validators.length);
    const genesis = plan.genesis ?? (await makeGenesis(validators, keys, plan));
    const network = new PrivateNetwork(directory, genesis, keys, nodes);
    writeFileSync(join(directory, 'genesis.json'), formatGenesis(genesis));
    for (const node of nodes.values()) await network.#write(node);
    return network;
  }

  private constructor(
    directory: string,
    genesis: Genesis,
    keys: DevKeys,
    nodes: ReadonlyMap<string, PlannedNode>,
  ) {
    this.directory = directory;
    this.genesis = genesis;
    this.keys = keys;
    this.nodes = nodes;
    this.chainId = chainIdOf(hashLabel, genesis);
    this.manifest = createManifest('development', fromHex(this.chainId));
  }

  /** Adds a node that was not thought of at the start. */
  async add(plan: NodePlan, place?: Place): Promise<PlannedNode> {
    const node = {
      plan,
      place: place ?? (await loopbackPlace()),
      directory: join(this.directory, plan.name),
      validator: -1,
    };
    mkdirSync(node.directory);
    await this.#write(node);
    (this.nodes as Map<string, PlannedNode>).set(plan.name, node);
    return node;
  }

  validatorId({ validator }: PlannedNode): string {
    return genesisValidatorId(hashLabel, validator);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #write(node: PlannedNode): Promise<void> {
    writeFileSync(join(node.directory, 'node.json'), JSON.stringify(this.#settings(node), null, 2));
    if (node.validator < 0) return;
    const consensus = keyOf(this.keys, node);
    const fee = this.keys.fees[node.validator] as DevKeys['fees'][number];
    const seal = (seed: Uint8Array, kind: 'consensus' | 'heartbeat_fee') =>
      sealKeyFile(seed, { kind, network: 'development' }, PASSWORD, CHEAP);
    const secret = (name: string, contents: Uint8Array | string) =>
      writeFileSync(join(node.directory, name), contents, { mode: 0o600 });
    secret('consensus.key', seal(consensus.seed, 'consensus'));
    secret('fee.key', seal(fee.seed, 'heartbeat_fee'));
    secret('password', `${PASSWORD}\n`);
    beginRecord(
      join(node.directory, 'data', 'validator', 'own'),
      ValidatorKey.fromSeed(consensus.seed),
    );
  }

  #settings(node: PlannedNode): object {
    const { plan, place } = node;
    const { host, peerPort, overlayPort } = place;
    const bootstrap = (plan.bootstrap ?? []).map((name) => {
      const other = (this.nodes.get(name) as PlannedNode).place;
      return `${other.host}:${other.peerPort}`;
    });
    return {
      network: 'development',
      data_dir: 'data',
      genesis: '../genesis.json',
      http: { bind: `${host}:0` },
      mining: { bind: `127.0.0.1:${place.miningPort ?? 0}` },
      log: { format: 'json', file: 'node.log', filter: 'info,network=debug', status_seconds: 0 },
      storage: { mode: plan.storage ?? 'full', cache_megabytes: plan.cacheMegabytes ?? 8 },
      peers: { listen: [host], port: peerPort, bootstrap },
      proof_of_work: { threads: 1 },
      ...(node.validator < 0 ? {} : this.#validatorSettings(node, `${host}:${overlayPort}`)),
    };
  }

  #validatorSettings(node: PlannedNode, overlay: string): object {
    return {
      validator: {
        consensus_key_file: 'consensus.key',
        password_file: 'password',
        heartbeat: {
          validator_id: this.validatorId(node),
          fee_key_file: 'fee.key',
          fee_key_password_file: 'password',
          max_fee_atoms: '1000000000',
        },
      },
      validator_overlay: { listen_addrs: [overlay] },
    };
  }
}

async function makeGenesis(
  validators: readonly PlannedNode[],
  keys: DevKeys,
  { paceMillis, startsInMillis = 0 }: NetworkPlan,
): Promise<Genesis> {
  const genesis = developmentGenesis({
    accounts: keys.accounts.map(({ address }) => address),
    validators: await Promise.all(
      validators.map(async (node) => ({
        consensusPublicKey: keyOf(keys, node).publicKey,
        endpoint: await endpointOf(node),
      })),
    ),
    others: keys.fees.map(({ address }) => ({ address, amount: FEE_COINS * ATOMS_PER_COIN })),
    timeMillis: Date.now() + startsInMillis,
    paceMillis,
  });
  return withSmallStakes(genesis, validators);
}

const SMALL_PART = 10n;

/** What some validators have less than others goes to the first account. */
function withSmallStakes(genesis: Genesis, nodes: readonly PlannedNode[]): Genesis {
  const validators = genesis.validators.map((validator, index) => ({
    ...validator,
    amount: validator.amount / (nodes[index]?.plan.isSmall === true ? SMALL_PART : 1n),
  }));
  const sumOf = (all: Genesis['validators']) => all.reduce((sum, { amount }) => sum + amount, 0n);
  const left = sumOf(genesis.validators) - sumOf(validators);
  const outputs = genesis.outputs.map((output, index) =>
    index === 0 ? { ...output, amount: output.amount + left } : output,
  );
  return { ...genesis, validators, outputs };
}

async function planNodes(
  directory: string,
  { nodes, placeOf = loopbackPlace }: NetworkPlan,
): Promise<Map<string, PlannedNode>> {
  const planned = new Map<string, PlannedNode>();
  let validators = 0;
  for (const plan of nodes) {
    const folder = join(directory, plan.name);
    mkdirSync(folder);
    planned.set(plan.name, {
      plan,
      place: await placeOf(plan.name),
      directory: folder,
      validator: plan.validator === undefined ? -1 : validators++,
    });
  }
  return planned;
}

function keyOf(keys: DevKeys, { validator }: PlannedNode): DevKeys['consensus'][number] {
  return keys.consensus[validator] as DevKeys['consensus'][number];
}

function endpointOf({ plan, place, directory }: PlannedNode): Promise<Uint8Array> {
  const { host, overlayPort: port } = place;
  const routes = plan.validator === 'routed' ? [{ host, port }] : [];
  return openOverlayEndpoint(join(directory, 'data', 'network', 'validator-overlay'), routes);
}
