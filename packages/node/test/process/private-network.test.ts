/**
 * A private network with one validator, made and run with nothing but `svcd`: genesis, keys from their files,
 * cuts, a heartbeat, and what is refused.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  MEMORY_PARENT,
  promtoolComplaints,
  temporaryDirectory,
  withoutPromtool,
} from 'svc-base/testing';
import { genesisValidatorId } from 'svc-ledger';
import { addressFromPublicKey, init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { hashLabel, sealKeyFile } from 'svc-wasm/protocol';
import { SvcdProcess, svcd } from '../../src/cli/testing/svcd.ts';
import { read, until } from './kit.ts';
import { OutsideMiner } from './outside-miner.ts';

const NETWORK = 'development';
const PASSWORD = 'correct horse battery staple';
const CHEAP = '{"memory_kib": "7168", "passes": "5", "lanes": "1"}';
const WORDS = [
  ...['run', '--config', 'node.json', '--data-dir', 'data', '--genesis', 'genesis.json'],
  ...['--http-bind', '127.0.0.1:0', '--mining-bind', '127.0.0.1:0', '--log-format', 'json'],
  ...['--metrics-bind', '127.0.0.1:0'],
];

let directory: string;
let chainId: string;
let feeAddress: string;

function keyOf(byte: number): { seed: Uint8Array; publicKey: Uint8Array; address: string } {
  const seed = new Uint8Array(32).fill(byte);
  const { publicKey } = mlDsa65.keygen(seed);
  return { seed, publicKey, address: addressFromPublicKey(publicKey, NETWORK) };
}

function writeSecret(name: string, contents: Uint8Array | string): void {
  writeFileSync(join(directory, name), contents, { mode: 0o600 });
}

/** The configuration that an operator writes, with comments. */
function nodeJson(): string {
  return `{
  "network": "${NETWORK}",
  "storage": { "mode": "archive" },
  "peers": { "inbound_max": 0 }, // a network of one
  "validator": {
    "consensus_key_file": "consensus.key",
    "password_file": "password",
    "heartbeat": {
      "validator_id": "${genesisValidatorId(hashLabel, 0)}",
      "fee_key_file": "fee.key",
      "fee_key_password_file": "password",
      "max_fee_atoms": "1000000"
    }
  }
}
`;
}

interface Line {
  readonly message: string;
  readonly [field: string]: unknown;
}

function linesOf(text: string): Line[] {
  const lines = text.split('\n').filter((line) => line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as Line);
}

interface Running {
  readonly node: SvcdProcess;
  readonly http: string;
  readonly mining: string;
  readonly metrics: string;
}

async function startNode(): Promise<Running> {
  const node = new SvcdProcess(WORDS, { directory });
  await node.said('"ready"');
  const ready = linesOf(node.stderr).find(({ message }) => message === 'ready');
  const urlOf = (listener: string) => `http://${ready?.[listener]}`;
  return { node, http: urlOf('http'), mining: urlOf('mining'), metrics: urlOf('metrics') };
}

const ALERTS = fileURLToPath(new URL('../../../../ops/prometheus/alerts.yml', import.meta.url));
const SCRAPE_PAUSE_MILLIS = 50;

/**
 * Stops a node in order and returns every scrape of its metrics until they end. An incomplete request keeps the API open for
 * a while, and with it the metrics, which close last; the validator closes first.
 */
async function scrapesOfStop({ node, http, metrics }: Running): Promise<string[]> {
  const { hostname, port } = new URL(http);
  const held = connect(Number(port), hostname);
  held.on('error', () => {});
  const head = ['POST /v1/address/utxos HTTP/1.1', `host: ${hostname}:${port}`];
  const body = ['content-type: application/json', 'content-length: 9', 'expect: 100-continue'];
  held.write(`${[...head, ...body].join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(held, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 100 /);
  node.child.kill('SIGTERM');
  const scrapes: string[] = [];
  for (;;) {
    const text = await fetch(`${metrics}/metrics`).then(
      (answer) => answer.text(),
      () => undefined,
    );
    if (text === undefined) break;
    scrapes.push(text);
    await new Promise((resolve) => setTimeout(resolve, SCRAPE_PAUSE_MILLIS));
  }
  held.destroy();
  return scrapes;
}

/** A promtool test that replays scrapes, one a second, and expects none of the shipped alerts to fire. */
function trialOf(scrapes: readonly string[]): object {
  const names = new Set(scrapes.flatMap((text) => text.match(/^svc_node_\S+(?= )/gm) ?? []));
  const valueIn = (text: string, series: string): string =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1] ?? '_';
  return {
    rule_files: [ALERTS],
    evaluation_interval: '1s',
    tests: [
      {
        interval: '1s',
        input_series: [...names].map((series) => ({
          series,
          values: scrapes.map((text) => valueIn(text, series)).join(' '),
        })),
        promql_expr_test: [
          {
            expr: 'count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[1h]))',
            eval_time: `${scrapes.length}s`,
            exp_samples: [],
          },
        ],
      },
    ],
  };
}

suite('a private network with one validator', () => {
  before(async () => {
    await init();
    directory = temporaryDirectory(undefined, MEMORY_PARENT);
    const [owner, consensus, fee] = [keyOf(1), keyOf(2), keyOf(3)];
    feeAddress = fee.address;
    const seal = (seed: Uint8Array, kind: 'consensus' | 'heartbeat_fee') =>
      sealKeyFile(seed, { kind, network: NETWORK }, PASSWORD, CHEAP);
    writeSecret('consensus.key', seal(consensus.seed, 'consensus'));
    writeSecret('fee.key', seal(fee.seed, 'heartbeat_fee'));
    writeSecret('password', `${PASSWORD}\n`);
    writeFileSync(join(directory, 'node.json'), nodeJson());
    writeFileSync(
      join(directory, 'validator.json'),
      JSON.stringify({
        owner_address: owner.address,
        reward_address: owner.address,
        amount: '10000000000000',
        commission_bps: '500',
        consensus_public_key: toHex(consensus.publicKey),
        overlay_endpoint: '00',
      }),
    );
    const made = await svcd(
      [
        ...['genesis', 'make', '--validator', 'validator.json', '--output', `${feeAddress}=100`],
        ...[
          '--rest',
          owner.address,
          '--pace-millis',
          '200',
          '--start',
          '+1s',
          '--out',
          'genesis.json',
        ],
      ],
      { directory },
    );
    assert.equal(made.code, 0, made.stderr);
    chainId = made.stdout.trim();
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  test('a key file that others may read, or that does not open, is refused', async () => {
    const refused = async (what: RegExp): Promise<void> => {
      const { code, stderr } = await svcd(WORDS, { directory });
      assert.equal(code, 5, stderr);
      const [line] = linesOf(stderr).filter(({ message }) => message === 'cannot start');
      assert.match(String(line?.['error']), what);
    };
    chmodSync(join(directory, 'consensus.key'), 0o640);
    await refused(/consensus\.key: validator\.consensus_key_file: other users may read it/);
    chmodSync(join(directory, 'consensus.key'), 0o600);
    writeSecret('password', 'wrong\n');
    await refused(/consensus\.key: validator\.consensus_key_file: .*password/);
    writeSecret('password', `${PASSWORD}\n`);
  });

  test('[VALCONF-01][VALCONF-02][VALCONF-03] it decides cuts alone, sends its heartbeat, and goes on after kill -9', async (t) => {
    let { node, http, mining, metrics } = await startNode();
    t.after(() => node.child.kill('SIGKILL'));
    const height = async () =>
      (await read<{ cut: { height: number } }>(`${http}/v1/chain/head`)).cut.height;
    const above = (least: number) =>
      until(async () => ((await height()) > least ? await height() : undefined), 'cuts');
    const reached = await above(2);
    assert.equal((await fetch(`${http}/v1/dev`)).status, 404, 'nobody controls a real node');

    const miner = new OutsideMiner(chainId);
    t.after(() => miner.close());
    await miner.mine(mining, feeAddress);
    const validator = `${http}/v1/staking/validators/${genesisValidatorId(hashLabel, 0)}`;
    const epoch = await until(async () => {
      const { validator: found } = await read<{
        validator: { heartbeat_epoch: number | null };
      }>(validator);
      return found.heartbeat_epoch ?? undefined;
    }, 'a heartbeat');
    assert.equal(epoch, 0);
    const { validator: own } = await read<{
      validator: { state: string; validator_id: string; committee: boolean };
    }>(`${http}/v1/node/status`);
    assert.deepEqual([own.state, own.committee], ['active', true]);
    const figures = await (await fetch(`${metrics}/metrics`)).text();
    assert.match(figures, /^svc_node_validator_signed_windows [1-9]/m);
    assert.match(figures, /^svc_node_validator_missed_windows 0$/m);
    assert.match(figures, /^svc_node_validator_heartbeat_age_epochs 0$/m);
    assert.match(figures, /^svc_node_validator_heartbeats_left [1-9]/m);
    assert.match(figures, /^svc_node_submissions_total\{kind="block",result="accepted"\} 1$/m);

    node.child.kill('SIGKILL');
    await node.end();
    ({ node, http, mining, metrics } = await startNode());
    await above(reached);
    const scrapes = await scrapesOfStop({ node, http, mining, metrics });
    assert.equal((await node.end()).code, 0);
    for (const text of scrapes)
      assert.doesNotMatch(text, /^svc_node_trouble\{name="validator_stopped"\} 1$/m);
    await t.test('no alert fires while it stops', { skip: withoutPromtool }, () => {
      const trial = join(directory, 'stop.yml');
      writeFileSync(trial, JSON.stringify(trialOf(scrapes)));
      assert.equal(promtoolComplaints(['test', 'rules', trial]), '');
    });
    t.diagnostic(`${scrapes.length} scrapes while it stopped`);
  });

  test('a lost record of signatures is not passed over in silence', async () => {
    rmSync(join(directory, 'data', 'validator', 'own', 'sign-state'));
    const { code, stderr } = await svcd(WORDS, { directory });
    assert.equal(code, 5, stderr);
    assert.match(stderr, /the record of what this consensus key signed is missing/);
  });
});
