/**
 * `svcd network new`: a whole network of one's own for trials. One process makes the keys of every validator, so no
 * other party should trust such a network; networks of several parties are made with `svcd validator init`.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError, columns, EXIT, note, result } from 'svc-base/cli';
import { replaceFileSync } from 'svc-base/node';
import { SELF_BOND_MIN } from 'svc-ledger';
import { addressFromPublicKey, BRANCHES, init, mnemonicFromEntropy, WalletRoot } from 'svc-wasm';
import { expectNetwork, type Network } from 'svc-wasm/base';
import { parseHostPort } from '../../config/bind.ts';
import { readGenesisFile } from '../../config/genesis-file.ts';
import { wholeNumber } from '../config-options.ts';
import { readApplication, refusing } from '../genesis/application.ts';
import { genesisText, parseStartTime } from '../genesis/make-genesis.ts';
import { makeValidatorFolder, type ValidatorFolder } from '../validator/validator-folder.ts';

/** The folder is copied to `/var/lib/svc` of its machine; paths in its node.json count from there. */
export function unitFile(folder: string): string {
  return `# ${folder}: copy the folder to /var/lib/svc, owned by the user svc with mode 0700, and this file to
# /etc/systemd/system; then: systemctl enable --now svcd
[Unit]
Description=svc validator (${folder})
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
User=svc
Group=svc
WorkingDirectory=/var/lib/svc
ExecStart=/opt/svc/node_modules/.bin/svcd run --data-dir .
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2 5
TimeoutStopSec=20
KillMode=mixed
UMask=0077
LimitNOFILE=65536
NoNewPrivileges=true
ProtectSystem=strict
ReadWritePaths=/var/lib/svc
ProtectHome=true
PrivateTmp=true

[Install]
WantedBy=multi-user.target
`;
}

/** Containers share the network of the host: the ports in the folders' node.json are those of the host. */
export function composeFile(folders: readonly string[]): string {
  const services = folders.map(
    (folder) => `  ${folder}:
    image: \${SVC_IMAGE:-svc}
    user: "\${SVC_USER:-1000:1000}"
    network_mode: host
    working_dir: /data
    environment: { XDG_CACHE_HOME: /data/.cache }
    command: ["svcd", "run", "--data-dir", "."]
    volumes: ["./${folder}:/data"]
    restart: on-failure
    stop_grace_period: 20s
`,
  );
  return `# SVC_IMAGE names an image with svcd on its path; SVC_USER is the owner of these folders.\nservices:\n${services.join('')}`;
}

export interface NewNetworkOptions {
  readonly validators: string;
  readonly network: string;
  /** Separated by commas. */
  readonly hosts: string;
  readonly start: string;
  readonly port: string;
  readonly paceMillis?: string;
}

/** Where one validator of the network listens. */
interface Place {
  readonly folder: string;
  readonly host: string;
  readonly peers: number;
  readonly http: number;
  readonly mining: number;
  readonly overlay: number;
  readonly metrics: number;
}

const VALIDATORS_MAX = 16;
/** Ports of validators that share a host lie this far apart. */
const PORTS_APART = 10;
const COMMISSION_BPS = 500;
const ENTROPY_BYTES = 32;

export async function newNetwork(target: string, options: NewNetworkOptions): Promise<void> {
  await init();
  const directory = resolve(target);
  if (existsSync(directory))
    throw new CliError(EXIT.refused, `${directory} is there already; name another folder`);
  const network = refusing(() => expectNetwork(options.network, '--network'));
  const timeMillis = parseStartTime(options.start, Date.now());
  const places = placesOf(options);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const owners = makeOwners(directory, network, places.length);
  const made: ValidatorFolder[] = [];
  for (const [index, place] of places.entries())
    made.push(await makeFolder(directory, { network, place, places, owner: owners[index + 1] }));
  const text = genesisText(
    { network, rest: owners[0] as string, ...paceOf(options) },
    made.map(({ applicationFile }) => readApplication(applicationFile)),
    timeMillis,
  );
  replaceFileSync(join(directory, 'genesis.json'), text);
  for (const place of places) {
    replaceFileSync(join(directory, place.folder, 'genesis.json'), text);
    writeFileSync(join(directory, place.folder, 'svcd.service'), unitFile(place.folder));
  }
  const folders = places.map(({ folder }) => folder);
  writeFileSync(join(directory, 'compose.yaml'), composeFile(folders));
  note(`the chain begins at ${new Date(timeMillis).toISOString()}; who starts later joins then`);
  note(`owner.words has the words of the wallet that owns every stake and the rest of the coins`);
  note(minerNote(places, owners[0] as string));
  note(columns(places.map((place) => [place.folder, place.host, `api port ${place.http}`])));
  result(readGenesisFile(join(directory, 'genesis.json')).chainId);
}

/** A network has no miner of its own: its operator should learn that before validators lapse. */
function minerNote([first]: readonly Place[], payout: string): string {
  const node = `http://127.0.0.1:${first?.mining}`;
  return `payments and heartbeats need blocks, and validators lapse after two epochs without heartbeats: mine with
  svc-miner --node ${node} --user ${payout} --device cpu --threads 1`;
}

function paceOf({ paceMillis }: NewNetworkOptions): { paceMillis?: string } {
  return paceMillis === undefined ? {} : { paceMillis };
}

/** One host for each validator, or one for all of them; validators of one host get ports of their own. */
function placesOf({ validators, hosts: list, port }: NewNetworkOptions): Place[] {
  const count = wholeNumber(validators, '--validators', [1, VALIDATORS_MAX]);
  const base = wholeNumber(port, '--port', [1, 65_535 - VALIDATORS_MAX * PORTS_APART]);
  const hosts = list.split(',').map((host) => host.trim());
  for (const host of hosts)
    if (parseHostPort(host, 1)?.host !== host)
      throw new CliError(EXIT.usage, `--hosts: expected addresses or names, found ${host}`);
  if (hosts.length !== 1 && hosts.length !== count) {
    const expected = `expected one host, or one for each of ${count} validators`;
    throw new CliError(EXIT.usage, `--hosts: ${expected}, found ${hosts.length}`);
  }
  const perHost = new Map<string, number>();
  return Array.from({ length: count }, (_, index) => {
    const host = (hosts[index] ?? hosts[0]) as string;
    const before = perHost.get(host) ?? 0;
    perHost.set(host, before + 1);
    const first = base + before * PORTS_APART;
    return {
      folder: `validator-${index + 1}`,
      host,
      peers: first,
      http: first + 1,
      mining: first + 2,
      overlay: first + 4,
      metrics: first + 5,
    };
  });
}

/** Draws the words of a wallet: its first address gets what is left, the next ones own the stakes. */
function makeOwners(directory: string, network: Network, validators: number): string[] {
  const words = mnemonicFromEntropy(new Uint8Array(randomBytes(ENTROPY_BYTES)));
  writeFileSync(join(directory, 'owner.words'), `${words}\n`, { mode: 0o600, flag: 'wx' });
  using root = WalletRoot.fromMnemonic(words, '', network);
  return Array.from({ length: validators + 1 }, (_, index) =>
    addressFromPublicKey(root.derivePublicKey(0, BRANCHES.receive, index), network),
  );
}

interface FolderWish {
  readonly network: Network;
  readonly place: Place;
  readonly places: readonly Place[];
  readonly owner: string | undefined;
}

function makeFolder(
  directory: string,
  { network, place, places, owner = '' }: FolderWish,
): Promise<ValidatorFolder> {
  const isLocal = place.host === '127.0.0.1';
  const others = places.filter((other) => other !== place);
  return makeValidatorFolder({
    directory: join(directory, place.folder),
    network,
    routes: [{ host: place.host, port: place.overlay }],
    ownerAddress: owner,
    rewardAddress: owner,
    amountAtoms: SELF_BOND_MIN,
    commissionBps: COMMISSION_BPS,
    settings: {
      data_dir: '.',
      http: { bind: `127.0.0.1:${place.http}` },
      mining: { bind: `127.0.0.1:${place.mining}` },
      metrics: { bind: `127.0.0.1:${place.metrics}` },
      peers: {
        ...(isLocal ? { listen: ['127.0.0.1'] } : {}),
        port: place.peers,
        bootstrap: others.map(({ host, peers }) => `${host}:${peers}`),
      },
      validator_overlay: {
        listen_addrs: [`${isLocal ? '127.0.0.1' : '0.0.0.0'}:${place.overlay}`],
      },
    },
  });
}
