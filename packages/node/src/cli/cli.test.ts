import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from 'svc-base/testing';
import { VERSION } from '../version.ts';
import { type Ended, svcd as run } from './testing/svcd.ts';

describe('the command line', () => {
  const PROGRAM = fileURLToPath(new URL('../../bin/svcd.js', import.meta.url));
  let directory: string;
  before(() => {
    directory = temporaryDirectory();
  });

  function svcd(
    words: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<Ended> {
    return run(words, { directory, environment: { HOME: directory, ...environment } });
  }

  test('without a command the three commonest are named', async () => {
    const { code, stdout, stderr } = await svcd([]);
    assert.deepEqual([code, stderr], [0, '']);
    for (const name of ['svcd dev', 'svcd run', 'svcd status']) assert.ok(stdout.includes(name));
  });

  test('help and version are results: on standard output, with 0', async () => {
    const all = await svcd(['--help']);
    assert.deepEqual([all.code, all.stderr], [0, '']);
    for (const name of [
      'run',
      'dev',
      'genesis',
      'status',
      'inspect',
      'repair',
      'reindex',
      'snapshot',
      'validator-endpoint',
      'validator-check',
    ]) {
      assert.match(all.stdout, new RegExp(`^  ${name} `, 'm'));
    }
    const one = await svcd(['run', '--help']);
    assert.deepEqual([one.code, one.stderr], [0, '']);
    for (const flag of [
      '--metrics-bind <ip[:port]>',
      '--log-file <file>',
      '--data-dir',
      '--network',
      '--genesis',
      '--browser-origin',
      '--public',
      '--storage-mode',
      '--config',
      '--pow-mode',
      '--bootstrap',
      '--print-config',
    ]) {
      assert.ok(one.stdout.includes(flag), flag);
    }
    assert.deepEqual(await svcd(['--version']).then(({ code, stdout }) => [code, stdout]), [
      0,
      `svcd ${VERSION}\n`,
    ]);
  });

  test('what cannot be understood ends with 2, on standard error, with a suggestion', async () => {
    const table: [string[], RegExp][] = [
      [['rnu'], /unknown command 'rnu'.*Did you mean run\?/s],
      [
        ['run', '--metric-bind', '127.0.0.1'],
        /unknown option '--metric-bind'.*Did you mean --metrics-bind\?/s,
      ],
      [['run', '--storage-mode', 'ful'], /argument 'ful' is invalid.*archive, full, pruned/s],
      [
        ['run', '--metrics-bind', 'nowhere'],
        /--metrics-bind: metrics.bind: expected an IP or ip:port, found nowhere/,
      ],
      [
        ['run', '--mining-bind', '0.0.0.0'],
        /--mining-bind: mining.bind: work is given to this machine only/,
      ],
      [
        ['run', '--log', 'inof'],
        /--log: log.filter: "inof": expected a level; did you mean info\?/,
      ],
      [
        ['dev', '--cut-time', 'soon'],
        /--cut-time: expected auto, manual or a time from 50ms to 60s, found soon/,
      ],
      [['dev', '--port', '70000'], /--port: expected a whole number/],
      [
        ['inspect', 'blok', 'x'],
        /expected one of cut, block, transaction, found blok; did you mean block\?/,
      ],
      [['snapshot', 'import', 'x', '--trust-cut', 'y'], /--trust-cut: expected 96/],
      [['genesis', 'make', '--start', '+1h', '--output', 'x'], /--output: expected address=coins/],
      [['status', '--url', 'ftp://x'], /--url: expected an address/],
      [
        ['validator-endpoint', ...(new Array(5).fill(['--route', 'a.example']).flat() as string[])],
        /--route: expected at most 4, found 5/,
      ],
      [['validator-endpoint', '--route', 'http://a'], /--route: expected host or host:port/],
    ];
    const ended = await Promise.all(table.map(([words]) => svcd(words)));
    ended.forEach(({ code, stdout, stderr }, index) => {
      const [words, message] = table[index] as [string[], RegExp];
      assert.deepEqual([code, stdout], [2, ''], `${words.join(' ')}: ${stderr}`);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n {4}at /, 'no stack');
    });
  });

  test('a wrong node.json is told with line and column', async () => {
    const file = join(directory, 'wrong.json');
    writeFileSync(file, '{\n  "storage": { "mod": "full" }\n}\n');
    const { code, stderr } = await svcd(['run', '--config', 'wrong.json']);
    assert.equal(code, 2);
    assert.ok(
      stderr.includes(`${file}:2:16: storage.mod: unknown setting; did you mean storage.mode?`),
    );
  });

  test('the settings in force can be printed', async () => {
    const { code, stdout } = await svcd(['run', '--print-config', '--public'], {
      SVC_NETWORK: 'testnet',
    });
    assert.equal(code, 0);
    assert.match(stdout, /"network": "testnet", \/\/ SVC_NETWORK/);
    assert.match(stdout, /"public": true, \/\/ --public/);
  });

  test('a node that is not there ends with 3 and says how to start one', async () => {
    const { code, stdout, stderr } = await svcd(['status', '--url', 'http://127.0.0.1:3']);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /no node answers at http:\/\/127\.0\.0\.1:3 \(ECONNREFUSED\).*svcd run/s);
  });

  test('without a genesis a node does not start and says what to do', async () => {
    const { code, stderr } = await svcd(['run', '--data-dir', 'empty']);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /there is none yet; give one with --genesis FILE, make one with `svcd genesis make`, or try `svcd dev`/,
    );
  });

  test('colours are left out where nobody sees them, and on request', async () => {
    const { stderr } = await svcd(['status', '--url', 'http://127.0.0.1:3']);
    assert.doesNotMatch(stderr, /\p{Cc}(?<!\n)/u);
    const forced = await svcd(['status', '--url', 'http://127.0.0.1:3'], { FORCE_COLOR: '1' });
    const refused = await svcd(['--no-color', 'status', '--url', 'http://127.0.0.1:3']);
    assert.ok(forced.stderr.startsWith('\u001b[31merror:'));
    assert.ok(refused.stderr.startsWith('error:'));
  });

  test('help is quick: it loads the command line and nothing of the node', () => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) {
        if (url.startsWith('file:')) process.stderr.write(url + '\\n');
        return next(url, context);
      } });`;
    const words = [
      '--import',
      `data:text/javascript,${encodeURIComponent(hook)}`,
      PROGRAM,
      '--help',
    ];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    assert.equal(status, 0);
    const loaded = stderr.trim().split('\n');
    const ours =
      /\/(?:packages\/base\/src|packages\/node\/(?:bin|src\/(?:cli|config|version))|node_modules\/commander)\b/;
    assert.ok(loaded.length > 10, stderr);
    assert.deepEqual(
      loaded.filter((url) => !ours.test(url)),
      [],
    );
  });
});
