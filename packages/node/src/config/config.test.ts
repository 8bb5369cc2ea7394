import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from 'svc-base/node';
import { temporaryDirectory } from 'svc-base/testing';
import { Value } from 'typebox/value';
import { printConfig } from '../cli/run/run-node.ts';
import { environmentLayer, flagLayer, parseConfig, Settings } from './layers.ts';
import { loadConfig } from './load.ts';
import { resolveConfig } from './resolve.ts';
import { configSchema } from './schema.ts';
import { environmentNames, flagName, SETTING_PATHS, type SettingPath } from './settings.ts';

const SURROUNDINGS = { directory: '/srv/node', home: '/nonexistent' };

function resolved(text: string) {
  return resolveConfig(new Settings([parseConfig(text, 'node.json')]), SURROUNDINGS);
}

function loaded(
  flags: [SettingPath, string | boolean | readonly string[]][],
  environment: Record<string, string>,
  file: string | null = null,
) {
  return loadConfig({ ...SURROUNDINGS, flags: new Map(flags), environment, file });
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return assert.fail('nothing was refused');
}

function withFile(text: string, run: (file: string) => void): void {
  const directory = temporaryDirectory();
  try {
    writeFileSync(join(directory, 'node.json'), text);
    run(join(directory, 'node.json'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('flags win over the environment, the environment over the file, the file over defaults', () => {
  withFile('{"storage": {"mode": "archive"}, "http": {"bind": "127.0.0.1:1"}}', (file) => {
    const inFile = 'archive';
    const table: [string | undefined, string | undefined, boolean, string][] = [
      [undefined, undefined, false, 'full'],
      [undefined, undefined, true, inFile],
      [undefined, 'pruned', true, 'pruned'],
      ['full', 'pruned', true, 'full'],
      ['pruned', undefined, true, 'pruned'],
      ['archive', 'pruned', false, 'archive'],
      [undefined, 'pruned', false, 'pruned'],
    ];
    for (const [flag, variable, hasFile, expected] of table) {
      const { config } = loaded(
        flag === undefined ? [] : [['storage.mode', flag]],
        variable === undefined ? {} : { SVC_STORAGE_MODE: variable },
        hasFile ? file : null,
      );
      assert.equal(config.storage.mode, expected, `${flag} ${variable} ${hasFile}`);
      assert.equal(config.http.bind.port, hasFile ? 1 : 28_701, 'other settings stay');
    }
  });
});

test('SVC_LOG wins over RUST_LOG, an empty variable counts as none', () => {
  const filter = (environment: Record<string, string>) => loaded([], environment).config.log.filter;
  assert.equal(filter({}), 'info');
  assert.equal(filter({ RUST_LOG: 'warn' }), 'warn');
  assert.equal(filter({ RUST_LOG: 'warn', SVC_LOG: 'debug' }), 'debug');
  assert.equal(filter({ RUST_LOG: 'warn', SVC_LOG: '' }), 'warn');
});

test('node.json in the data directory is read unless another file is named', () => {
  withFile('{"log": {"status_seconds": 5}}', (file) => {
    const directory = join(file, '..');
    const seconds = (flags: [SettingPath, string][], environment = {}) =>
      loaded(flags, environment).config.log.statusSeconds;
    assert.equal(seconds([['data_dir', directory]]), 5);
    assert.equal(seconds([], { SVC_DATA_DIR: directory }), 5);
    assert.equal(seconds([], { SVC_CONFIG: file }), 5);
    assert.equal(seconds([]), 900);
    assert.match(
      refusal(() => loaded([], {}, '/nonexistent/node.json')),
      /cannot be read \(ENOENT\)/,
    );
  });
});

test('what is wrong with a file is told with line, column and path', () => {
  const table: [string, string][] = [
    ['', 'node.json:1:1: not JSON: value expected'],
    ['[]', 'node.json:1:1: expected an object, found a list'],
    ['{\n  "network" "testnet"\n}', 'node.json:2:13: not JSON: colon expected'],
    [
      '{\n  // a comment\n  "netwrok": "testnet"\n}',
      'node.json:3:3: netwrok: unknown setting; did you mean network?',
    ],
    [
      '{"http": {\n  "bnid": "::1"}}',
      'node.json:2:3: http.bnid: unknown setting; did you mean http.bind?',
    ],
    ['{"htpt": {"bind": "::1"}}', 'node.json:1:2: htpt: unknown setting; did you mean http?'],
    ['{"quite_something_else": 1}', 'node.json:1:2: quite_something_else: unknown setting'],
    ['{"http": 1}', 'node.json:1:10: http: expected an object, found number'],
    [
      '{"network": "main"}',
      'node.json:1:13: network: expected one of mainnet, testnet, testnet100, development, found "main"',
    ],
    ['{"network": "testnet",\n "network": "mainnet"}', 'node.json:2:2: network: given twice'],
    [
      '{"peers": {"inbound_max": 1025}}',
      'node.json:1:27: peers.inbound_max: expected a whole number from 0 to 1024, found 1025',
    ],
    [
      '{"peers": {"inbound_max": 1.5}}',
      'node.json:1:27: peers.inbound_max: expected a whole number from 0 to 1024, found 1.5',
    ],
    [
      '{"http": {"public": "yes"}}',
      'node.json:1:21: http.public: expected true or false, found "yes"',
    ],
    [
      '{"http": {"public_names": [1]}}',
      'node.json:1:27: http.public_names: expected a list of at most 16 texts, found [1]',
    ],
    ['{"data_dir": {"x": 1}}', 'node.json:1:14: data_dir: expected a path, found {}'],
    ['{"data_dir": ""}', 'node.json:1:14: data_dir: expected a path, found ""'],
    ['{"__proto__": {"bind": 1}}', 'node.json:1:2: __proto__: unknown setting'],
    [`{"a":${'['.repeat(100_000)}`, 'node.json:1:21: nested too deeply'],
    [' '.repeat(300_000), 'node.json:1:1: expected at most 262144 characters, found 300000'],
  ];
  for (const [text, message] of table) {
    assert.equal(
      refusal(() => parseConfig(text, 'node.json')),
      message,
    );
  }
});

test('comments, trailing commas and $schema are accepted', () => {
  const { config } = resolved(`{
    "$schema": "./node.schema.json", /* for the editor */
    "network": "testnet", // a network
  }`);
  assert.equal(config.network, 'testnet');
});

test('a wrong variable or flag is named', () => {
  const { message } = { message: refusal(() => environmentLayer({ SVC_HTTP_PUBLIC: 'maybe' })) };
  assert.equal(message, 'SVC_HTTP_PUBLIC: http.public: expected true or false, found "maybe"');
  assert.equal(
    refusal(() => flagLayer(new Map([['log.status_seconds', '1e3']]))),
    '--status-seconds: expected a whole number from 0 to 3600, found "1e3"',
  );
  assert.deepEqual(loaded([], { SVC_HTTP_BNID: '::1', SVC_WALLET_TOKEN: 'x' }).warnings, [
    'SVC_HTTP_BNID is not a setting; did you mean SVC_HTTP_BIND?',
  ]);
});

test('lists come from repeated flags and from variables with commas', () => {
  const origins = ['https://a.example', 'http://localhost:5173'];
  assert.deepEqual(
    loaded([['http.browser_origins', origins]], {}).config.http.browserOrigins,
    origins,
  );
  assert.deepEqual(
    loaded([], { SVC_HTTP_BROWSER_ORIGINS: origins.join(', ') }).config.http.browserOrigins,
    origins,
  );
});

test('[VALCONF-01][VALCONF-02][VALCONF-03][VALCONF-04][VALCONF-05] the validator section is read whole', () => {
  const id = 'ab'.repeat(48);
  const { config } = resolved(`{
    "network": "development",
    "validator": {
      "consensus_key_file": "keys/consensus",
      "password_file": "/etc/svc/password",
      "heartbeat": {
        "validator_id": "${id}",
        "fee_key_file": "keys/fee",
        "fee_key_password_file": "keys/fee.password",
        "max_fee_atoms": "250000"
      }
    }
  }`);
  assert.deepEqual(config.validator, {
    consensusKeyFile: '/srv/node/keys/consensus',
    passwordFile: '/etc/svc/password',
    next: {
      consensusKeyFile: '/srv/node/keys/consensus.next',
      passwordFile: '/etc/svc/password.next',
    },
    signer: null,
    heartbeat: {
      validatorId: id,
      feeKeyFile: '/srv/node/keys/fee',
      feeKeyPasswordFile: '/srv/node/keys/fee.password',
      maxFeeAtoms: 250_000n,
      feeRatePerMass: null,
    },
  });
  const rate = resolved(`{"network": "development", "validator": {
    "consensus_key_file": "a", "password_file": "b",
    "heartbeat": {"validator_id": "${id}", "fee_key_file": "c", "fee_key_password_file": "d",
      "max_fee_atoms": 250000, "fee_rate_per_mass": "7"}}}`);
  assert.equal(rate.config.validator?.heartbeat?.feeRatePerMass, 7n);
  assert.equal(rate.config.validator?.heartbeat?.maxFeeAtoms, 250_000n);
});

test('[OPS-13] half a validator, or a node that cannot be one, is refused', () => {
  const both = '"consensus_key_file": "a", "password_file": "b"';
  const table: [string, RegExp][] = [
    ['{"validator": {"consensus_key_file": "a"}}', /incomplete: validator.password_file must/],
    [
      `{"network": "development", "validator": {${both}, "heartbeat": {"max_fee_atoms": "1"}}}`,
      /heartbeat: is incomplete: .*fee_key_file and .*fee_key_password_file/,
    ],
    [
      `{"validator": {${both}}, "storage": {"mode": "pruned"}}`,
      /storage.mode: a validator needs full or archive/,
    ],
    [
      `{"validator": {${both}}, "peers": {"certificate_every_cuts": 8}}`,
      /peers.certificate_every_cuts: a validator needs every certificate/,
    ],
    [`{"validator": {${both}}}`, /proof_of_work.mode: a validator needs full/],
    [
      `{"validator": {"heartbeat": {"validator_id": "${'AB'.repeat(48)}"}}}`,
      /expected 96 lower-case hex/,
    ],
    ['{"validator": {"heartbeat": {"max_fee_atoms": "1.5"}}}', /whole number of atoms/],
    [
      '{"validator": {"heartbeat": {"max_fee_atoms": "18446744073709551616"}}}',
      /whole number of atoms/,
    ],
  ];
  for (const [text, message] of table)
    assert.match(
      refusal(() => resolved(text)),
      message,
    );
});

test('[VALCONF-06] the overlay listens on an IP, an IP with a port, or up to eight multiaddrs', () => {
  const listen = (value: unknown, network = 'mainnet') =>
    resolved(JSON.stringify({ network, validator_overlay: { listen_addrs: value } })).config
      .validatorOverlay.listen;
  assert.deepEqual(resolved('{}').config.validatorOverlay.listen, [
    '/ip4/0.0.0.0/tcp/28704',
    '/ip6/::/tcp/28704',
  ]);
  assert.deepEqual(
    resolved('{"network": "testnet"}').config.validatorOverlay.listen[0],
    '/ip4/0.0.0.0/tcp/28709',
  );
  assert.deepEqual(listen('192.0.2.7'), ['/ip4/192.0.2.7/tcp/28704']);
  assert.deepEqual(listen('192.0.2.7', 'testnet'), ['/ip4/192.0.2.7/tcp/28709']);
  assert.deepEqual(listen('[2001:db8::1]:99'), ['/ip6/2001:db8::1/tcp/99']);
  const eight = Array.from({ length: 8 }, (_, index) => `/ip4/192.0.2.${index}/udp/28704/quic-v1`);
  assert.deepEqual(listen(eight), eight);
  assert.match(
    refusal(() => listen([...eight, '/ip4/192.0.2.9/tcp/1'])),
    /at most 8/,
  );
  for (const wrong of [
    'node.example',
    '192.0.2.7:0x1',
    '192.0.2.7:65536',
    '/ip4/::1/tcp/1',
    '/tcp/1',
  ]) {
    assert.match(
      refusal(() => listen(wrong)),
      /node.json:1:\d+: validator_overlay.listen_addrs: expected an IP/,
    );
  }
});

test('[OPS-14] a validator that moved announces up to four routes, by name or address', () => {
  const routes = (value: unknown) =>
    resolved(JSON.stringify({ validator_overlay: { announced_routes: value } })).config
      .validatorOverlay.announcedRoutes;
  assert.deepEqual(resolved('{}').config.validatorOverlay.announcedRoutes, []);
  assert.deepEqual(routes(['node.example', '192.0.2.7:99', '[2001:db8::1]:98', 'x.example:7']), [
    { host: 'node.example', port: 28_704 },
    { host: '192.0.2.7', port: 99 },
    { host: '2001:db8::1', port: 98 },
    { host: 'x.example', port: 7 },
  ]);
  assert.match(
    refusal(() => routes(['a', 'b', 'c', 'd', 'e'])),
    /at most 4/,
  );
  for (const wrong of ['', 'a b', 'node.example:0', 'node.example:65536', 'http://node.example'])
    assert.match(
      refusal(() => routes([wrong])),
      /node.json:1:\d+: validator_overlay.announced_routes: /,
    );
});

test('listeners stay on loopback: mining must, metrics and the API warn', () => {
  const { config, warnings } = resolved('{"metrics": {"bind": "127.0.0.1"}}');
  assert.deepEqual(config.http.bind, { host: '127.0.0.1', port: 28_701 });
  assert.deepEqual(config.mining.bind, { host: '127.0.0.1', port: 28_702 });
  assert.deepEqual(config.metrics.bind, { host: '127.0.0.1', port: 28_790 });
  assert.deepEqual(warnings, []);
  assert.equal(resolved('{}').config.metrics.bind, null);
  for (const host of ['0.0.0.0', '192.0.2.1', '::', '[::]:28702', '::ffff:192.0.2.1']) {
    assert.match(
      refusal(() => resolved(`{"mining": {"bind": "${host}"}}`)),
      /expected a loopback address/,
    );
  }
  for (const host of ['::1', '127.9.9.9', 'localhost', '::ffff:127.0.0.1']) {
    resolved(`{"mining": {"bind": "${host}"}}`);
  }
  assert.match(
    resolved('{"metrics": {"bind": "0.0.0.0:9"}}').warnings[0] ?? '',
    /metrics on 0.0.0.0:9/,
  );
  assert.match(resolved('{"http": {"bind": "[::]:80"}}').warnings[0] ?? '', /API on \[::\]:80/);
  assert.deepEqual(resolved('{"http": {"bind": "[::]:80", "public": true}}').warnings, []);
});

test('origins, names, proxies and peers are exact', () => {
  const table: [string, string, RegExp][] = [
    ['http', 'browser_origins', /expected an origin/],
    ['http', 'public_names', /expected a host name/],
    ['http', 'trusted_proxies', /expected an IP address or a network/],
    ['peers', 'bootstrap', /expected a host, host:port or multiaddr/],
  ];
  const wrong: Record<string, string[]> = {
    browser_origins: [
      '*',
      'null',
      'https://a.example/',
      'https://a.example:443',
      'a.example',
      'file:///x',
      'HTTPS://A.EXAMPLE',
    ],
    public_names: ['https://a.example', 'a.example:80', 'A.example', '-a.example', 'a..b', 'a b'],
    trusted_proxies: [
      '10.0.0.0/33',
      '10.0.0/8',
      'proxy.example',
      '10.0.0.0/8/8',
      '10.0.0.0/',
      '::/129',
    ],
    bootstrap: [
      'http://seed.example',
      'seed.example:0',
      'a b',
      '/ip4/192.0.2.1/tcp/x/p2p/12D3Koo',
      '/ip4/192.0.2.1',
    ],
  };
  const right: Record<string, string[]> = {
    browser_origins: ['https://a.example', 'http://localhost:5173', 'https://[::1]:8443'],
    public_names: ['a.example', 'localhost', '192.0.2.1', '2001:db8::1'],
    trusted_proxies: ['10.0.0.0/8', '192.0.2.1', 'fd00::/8'],
    bootstrap: [
      '/ip4/192.0.2.1/tcp/28700/p2p/12D3KooW',
      '/dns4/seed.example/tcp/1',
      'seed.example',
      'seed.example:28700',
      '[2001:db8::1]:1',
      '192.0.2.1',
    ],
  };
  for (const [section, name, message] of table) {
    for (const item of wrong[name] as string[]) {
      const text = JSON.stringify({ [section]: { [name]: [item] } });
      assert.match(
        refusal(() => resolved(text)),
        message,
        item,
      );
    }
    resolved(JSON.stringify({ [section]: { [name]: right[name] } }));
  }
});

test('a node listens for others on every interface, unless it takes none', () => {
  const peers = (text: string) => resolved(text).config.peers;
  assert.deepEqual(peers('{}').listenHosts, ['0.0.0.0', '::']);
  assert.equal(peers('{}').port, 28_700);
  assert.deepEqual(peers('{"peers": {"listen": "192.0.2.1", "port": 0}}').listenHosts, [
    '192.0.2.1',
  ]);
  assert.deepEqual(peers('{"peers": {"inbound_max": 0}}').listenHosts, []);
  assert.match(
    refusal(() => peers('{"peers": {"listen": "192.0.2.1:1"}}')),
    /peers.listen: expected an IP address/,
  );
});

test('what is printed can be read again and says where each setting came from', () => {
  const { settings, config } = loaded(
    [
      ['http.public', true],
      ['peers.listen', ['127.0.0.1']],
    ],
    { SVC_NETWORK: 'testnet', SVC_DATA_DIR: 'here' },
  );
  const printed = printConfig(settings);
  assert.deepEqual(resolved(printed).config, config);
  assert.match(printed, /"network": "testnet", \/\/ SVC_NETWORK/);
  assert.match(printed, /"public": true, \/\/ --public/);
  assert.match(printed, /"mode": "full", \/\/ default/);
});

test('the published schema and the reader agree', () => {
  const schema = configSchema();
  const documents = [
    '{}',
    '{"$schema": "x"}',
    '{"network": "testnet"}',
    '{"network": "x"}',
    '{"network": 1}',
    '{"x": 1}',
    '{"http": {}}',
    '{"http": {"x": 1}}',
    '{"http": {"public": true}}',
    '{"http": {"public": 1}}',
    '{"http": {"public_names": "a"}}',
    '{"http": {"public_names": ["a", "b"]}}',
    '{"http": {"public_names": [""]}}',
    `{"peers": {"listen": ${JSON.stringify(new Array(9).fill('::1'))}}}`,
    '{"peers": {"inbound_max": 0}}',
    '{"peers": {"inbound_max": -1}}',
    '{"peers": {"inbound_max": 1.5}}',
    `{"validator": {"heartbeat": {"validator_id": "${'ab'.repeat(48)}"}}}`,
    '{"validator": {"heartbeat": {"validator_id": "ab"}}}',
    '{"validator": {"heartbeat": {"max_fee_atoms": 5}}}',
    '{"validator": {"heartbeat": {"max_fee_atoms": "5"}}}',
    '{"validator": {"heartbeat": {"max_fee_atoms": "05"}}}',
    '{"validator": {"heartbeat": {"max_fee_atoms": -5}}}',
    '[]',
    'null',
  ];
  const accepted = (text: string) => {
    try {
      parseConfig(text, 'node.json');
      return true;
    } catch {
      return false;
    }
  };
  for (const text of documents) {
    assert.equal(Value.Check(schema, JSON.parse(text)), accepted(text), text);
  }
});

test('every setting has a name of its own in the environment and on the command line', () => {
  const variables = SETTING_PATHS.flatMap(environmentNames);
  assert.equal(new Set(variables).size, variables.length);
  const flags = SETTING_PATHS.map(flagName).filter((flag) => flag !== null);
  assert.equal(new Set(flags).size, flags.length);
});

test('no secret is given in the configuration, the environment or a flag: only files that hold one', () => {
  const secret = /password|secret|seed|token|mnemonic|key/;
  const named = SETTING_PATHS.filter((path) => secret.test(path));
  assert.ok(named.length >= 4);
  assert.deepEqual(
    named.filter((path) => !path.endsWith('_file')),
    [],
  );
});

test('a state of others is no beginning for a validator, an archive or a node without peers', () => {
  const wish = (more: object): string =>
    refusal(() => resolved(JSON.stringify({ sync: { state: true }, ...more })));
  const keys = { consensus_key_file: 'key', password_file: 'password' };
  const full = { proof_of_work: { mode: 'full' } };
  assert.match(wish({ ...full, validator: keys }), /sync.state.*validator/);
  assert.match(wish({ storage: { mode: 'archive' } }), /sync.state.*archive/);
  assert.match(wish({ peers: { inbound_max: 0 } }), /sync.state.*bootstrap/);
  const cutId = 'ab'.repeat(48);
  const { config } = resolved(JSON.stringify({ sync: { state: true, trust: `5120:${cutId}` } }));
  assert.deepEqual(config.sync, { state: true, trust: { height: 5_120, cutId } });
  for (const trust of ['5120', `0:${cutId}`, `5120:${'ab'.repeat(47)}`, `x:${cutId}`])
    assert.match(
      refusal(() => resolved(JSON.stringify({ sync: { trust } }))),
      /sync.trust/,
    );
});
