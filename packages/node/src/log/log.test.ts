import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { constants, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { parseLogFilter } from './filter.ts';
import { errorFields, safeText } from './log-text.ts';
import { LINES_MAX, LineLimit, LineWriter, WINDOW_MILLIS } from './node-log.ts';
import { StatusReporter, statusLine } from './status-line.ts';

const MODULE = JSON.stringify(new URL('./node-log.ts', import.meta.url).href);

/** Runs a program with a log of its own, since a log writes to the standard error of its process. */
function logged(program: string, options: object): { lines: string[]; stdout: string } {
  const script = `
    const { openNodeLog } = await import(${MODULE});
    const { log, close, reopen } = await openNodeLog(${JSON.stringify({
      filter: 'info',
      file: null,
      pretty: false,
      colour: false,
      ...options,
    })});
    ${program}
    close();`;
  const args = ['--input-type=module', '-e', script];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return { lines: stderr.split('\n').filter((line) => line !== ''), stdout };
}

test('a filter sets a level for all parts and others for some', () => {
  const table: [string, string, string][] = [
    ['info', 'validator', 'info'],
    ['', 'validator', 'info'],
    ['warn,validator=debug', 'validator', 'debug'],
    ['warn,validator=debug', 'network', 'warn'],
    ['validator=debug,error', 'network', 'error'],
    ['info,validator=debug', 'validator.signer', 'debug'],
    ['info,validator=debug,validator.signer=off', 'validator.signer', 'off'],
    ['info,validator=debug,validator.signer=off', 'validator.signer.disk', 'off'],
    ['info,validator=debug', 'validators', 'info'],
    ['INFO,Network=TRACE', 'network', 'debug'],
    ['svcd::network::sync=debug', 'network.sync', 'debug'],
    [' info , network = warn ', 'network', 'warn'],
    ['network', 'network', 'debug'],
    ['hyper=info', 'network', 'info'],
  ];
  for (const [filter, part, level] of table) {
    assert.equal(parseLogFilter(filter).levelOf(part), level, `${filter} ${part}`);
  }
});

test('a filter that cannot be understood is refused with what was expected', () => {
  const table: [string, string][] = [
    ['inof', '"inof": expected a level; did you mean info?'],
    [
      'info,network=wran',
      '"network=wran": expected a level, one of debug, info, warn, error, off; did you mean warn?',
    ],
    ['network=', '"network=": expected a level, one of debug, info, warn, error, off'],
    ['=info', '"=info": expected a part such as validator'],
    ['a=b=c', '"a=b=c": expected part=level'],
    ['foo[span]=info', '"foo[span]=info": expected a part such as validator'],
    [new Array(65).fill('a=info').join(), 'expected at most 64 parts, found 65'],
  ];
  for (const [filter, message] of table) assert.throws(() => parseLogFilter(filter), { message });
});

test('lines go to standard error as JSON; text from outside stays inside its field', () => {
  const agent = '\u001b[2Jx\u009b31m\r\n{"level":"error"}\u202eabc';
  const { lines, stdout } = logged(
    `log.part('peers').info({ agent: ${JSON.stringify(agent)}, height: 7, amount: 5n, ok: true, none: null }, 'a peer came, 100% %s');
     log.debug({}, 'not wanted');`,
    {},
  );
  assert.equal(stdout, '');
  assert.equal(lines.length, 1);
  const { time, ...rest } = JSON.parse(lines[0] as string) as Record<string, unknown>;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(rest, {
    level: 'info',
    part: 'peers',
    agent: String.raw`\u001b[2Jx\u009b31m\u000d\n{"level":"error"}\u202eabc`,
    height: 7,
    amount: '5',
    ok: true,
    none: null,
    message: 'a peer came, 100% %s',
  });
});

test('on a terminal a line stays one line and steers nothing', () => {
  const agent = '\u001b[2J\nfake line\u009b';
  const { lines } = logged(
    `log.part('peers').warn({ agent: ${JSON.stringify(agent)} }, 'hello');`,
    {
      pretty: true,
    },
  );
  assert.equal(lines.length, 1);
  assert.match(lines[0] as string, /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: peers: hello \{"agent":/);
  assert.doesNotMatch(lines[0] as string, /\p{Cc}/u);
});

test('secrets and names of the log itself are not written over', () => {
  const { lines } = logged(
    `log.info({ password: 'p', wallet_token: 't', seed: 's', mnemonic: 'm', password_file: '/a', level: 'l', time: 't', part: 'q', message: 'm' }, 'x');`,
    {},
  );
  const { time, ...rest } = JSON.parse(lines[0] as string) as Record<string, unknown>;
  assert.notEqual(time, 't');
  assert.deepEqual(rest, {
    level: 'info',
    password: '[secret]',
    wallet_token: '[secret]',
    seed: '[secret]',
    mnemonic: '[secret]',
    password_file: '/a',
    field_level: 'l',
    field_time: 't',
    field_part: 'q',
    field_message: 'm',
    message: 'x',
  });
});

test('a line that repeats itself is cut off and counted', () => {
  const { lines } = logged(
    `for (let i = 0; i < 50; i++) log.part('peers').warn({ i }, 'again');
     log.part('peers').warn({}, 'another');
     log.part('mempool').warn({}, 'again');`,
    {},
  );
  assert.equal(lines.length, LINES_MAX + 3);
  const last = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
  assert.equal(last['suppressed'], 50 - LINES_MAX);
  assert.equal(last['message'], 'peers: again');
});

test('the limit opens again after its time and tells what was left out', () => {
  let now = 0;
  const limit = new LineLimit(() => now);
  for (let i = 0; i < LINES_MAX; i++) assert.equal(limit.admit('a'), 0);
  assert.equal(limit.admit('a'), null);
  assert.equal(limit.admit('a'), null);
  assert.equal(limit.admit('b'), 0);
  now = WINDOW_MILLIS - 1;
  assert.equal(limit.admit('a'), null);
  now = WINDOW_MILLIS;
  assert.equal(limit.admit('a'), 3);
  assert.equal(limit.admit('a'), 0);
  assert.deepEqual([...limit.pending()], []);
  for (let i = 0; i < 5_000; i++) limit.admit(`key ${i}`);
  assert.equal(limit.admit('a'), 0, 'old keys are forgotten, not kept for ever');
});

test('the file has every line as JSON, for its owner only, and can be moved away', () => {
  const directory = temporaryDirectory();
  try {
    const file = join(directory, 'inner', 'node.log');
    const { lines } = logged(`log.info({}, 'one'); log.error({ a: 1 }, 'two');`, {
      file,
      pretty: true,
    });
    assert.equal(lines.length, 2);
    const first = readFileSync(file, 'utf8').trim().split('\n');
    assert.deepEqual(
      first.map((line) => (JSON.parse(line) as { message: string }).message),
      ['one', 'two'],
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
    logged(
      `log.info({}, 'three');
       const { renameSync } = await import('node:fs');
       renameSync(${JSON.stringify(file)}, ${JSON.stringify(`${file}.1`)});
       reopen();
       log.info({}, 'four');`,
      { file },
    );
    assert.match(readFileSync(`${file}.1`, 'utf8'), /one.*two.*three/s);
    assert.match(readFileSync(file, 'utf8'), /^[^\n]*four[^\n]*\n$/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a disk that is full does not stop the node', { skip: process.platform !== 'linux' }, () => {
  const { lines } = logged(
    `for (let i = 0; i < 3; i++) log.info({ i }, 'on'); log.warn({}, 'still here');`,
    {
      file: '/dev/full',
    },
  );
  assert.equal(lines.length, 4);
  assert.match(lines[3] as string, /still here/);
});

test('a reader that stands still loses lines and delays nobody for long', {
  skip: process.platform !== 'linux',
}, () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'pipe');
  try {
    spawnSync('mkfifo', [path]);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const writer = new LineWriter(pipe);
    const line = `${'x'.repeat(999)}\n`;
    const started = performance.now();
    for (let i = 0; i < 1_000; i++) writer.write(line);
    assert.ok(
      performance.now() - started < 60_000,
      'a wait for each line would take three minutes',
    );
    const taken = Buffer.alloc(1 << 20);
    const first = taken.subarray(0, readSync(pipe, taken)).toString();
    assert.ok(first.length > 10_000 && first.length < 1_000_000);
    writer.write('y\n');
    const second = taken.subarray(0, readSync(pipe, taken)).toString();
    assert.equal(second, first.endsWith('\n') ? 'y\n' : '\ny\n');
    writer.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('long text is cut, errors are told by message and code', () => {
  assert.equal(safeText('x'.repeat(5_000)).length, 2_049);
  const error = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  assert.deepEqual(errorFields(error), { error: 'no space', error_code: 'ENOSPC' });
  assert.ok(String(errorFields(error, { stack: true })['stack']).includes('log.test.ts'));
  assert.deepEqual(errorFields('text'), { error: 'text' });
});

test('the status line has one shape', () => {
  const facts = {
    synced: true,
    finalizedHeight: 48_219,
    behindBy: 0,
    peers: 12,
    mempoolTransactions: 7,
    validator: { signedWindows: 9, windows: 12, heartbeatEpoch: 31, heartbeat: 'ok' as const },
  };
  assert.equal(
    statusLine(facts),
    'synced  cut 48219  lag 0  peers 12  mempool 7  signed 9/12 windows  hb epoch 31 ok',
  );
  assert.equal(
    statusLine({ ...facts, synced: false, behindBy: null, validator: null }),
    'syncing  cut 48219  lag ?  peers 12  mempool 7',
  );
});

test('the reporter writes at its interval until it is closed', () => {
  const clock = new ManualClock();
  const written: string[] = [];
  const line = (_: object, message: string) => void written.push(message);
  const log = { debug: line, info: line, warn: line, error: line, part: () => log };
  const facts = () => ({
    synced: true,
    finalizedHeight: written.length,
    behindBy: 0,
    peers: 0,
    mempoolTransactions: 0,
    validator: null,
  });
  const reporter = new StatusReporter({ clock, seconds: 30, facts, log });
  reporter.start();
  clock.advance(60_000);
  assert.deepEqual(written, [
    'synced  cut 0  lag 0  peers 0  mempool 0',
    'synced  cut 1  lag 0  peers 0  mempool 0',
  ]);
  assert.equal(clock.pending, 1);
  reporter.close();
  assert.equal(clock.pending, 0);
  new StatusReporter({ clock, seconds: 0, facts, log }).start();
  assert.equal(clock.pending, 0);
});
