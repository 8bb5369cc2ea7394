/**
 * Starts a program of the project from its file in `bin`. Plain JavaScript for Node 20: where the Node that was called
 * cannot run the sources, this process becomes the starter, which starts the program with the Node that is installed
 * beside it, passes signals on and ends with its exit code. A channel between the two tells the program that its
 * starter is gone, also after `kill -9`: the program then stops in order. Neither process opens an inspector: it asks for no
 * password, so every user of the machine could run code beside the keys. Must not know what the programs do.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 26;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Signals that end a program without a message of its own, and what to do about them. Other signals are sent on purpose. */
const BROKEN = new Map([
  ['SIGBUS', 'a file that it uses was cut short or cannot be read; look for trouble with the disk'],
  ['SIGSEGV', 'a fault in native code or bad memory; report it with what came before'],
  ['SIGILL', 'this processor, or the file of the program, is not what it was built for'],
  ['SIGABRT', 'the words of the engine are above'],
]);
/** Allows an inspector, for development. */
const INSPECTOR_ALLOWED = 'SVC_ALLOW_INSPECTOR';
/** Every option that opens an inspector; `--inspect-port` and `--inspect-publish-uid` open none. */
const INSPECTOR_OPTION = /--inspect(?![-_]p)/;
/** Options are wrong: service managers do not start the program again. */
const EXIT_USAGE = 2;
const EXIT_FAILED = 1;
/** Set by the starter for the program alone. */
const STARTED = 'SVC_STARTED_BY_STARTER';
/** How long the program waits whether a signal that the starter passes on reaches it by itself as well. */
const GRACE_MILLIS = 200;
/** How long a signal that reached the program by itself matches one that the starter may still pass on. */
const MATCH_MILLIS = 5_000;

/**
 * @param {object} program
 * @param {string} program.name what the program is called
 * @param {string} program.url `import.meta.url` of the file in `bin`
 * @param {() => Promise<{ main: (words: string[]) => Promise<number> }>} program.load imports the program
 */
export async function startProgram({ name, url, load }) {
  const expectNoInspector = await closeInspector(name);
  expectNoInspector();
  const isStarted = process.env[STARTED] !== undefined && process.connected === true;
  delete process.env[STARTED];
  if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
    const newer = isStarted ? undefined : newerNode(fileURLToPath(url));
    if (newer === undefined) return refuse(name);
    return startWith(name, newer, fileURLToPath(url));
  }
  if (isStarted) followStarter();
  modules.enableCompileCache(cacheDirectory());
  process.env.NODE_COMPILE_CACHE = cacheDirectory(); // Threads do not inherit it otherwise.
  const { main } = await load();
  // Once more: a signal that arrived before the listener opens the inspector a moment later.
  expectNoInspector();
  const code = await main(process.argv.slice(2));
  if (code !== 0) process.exit(code);
}

/**
 * Keeps SIGUSR1 from opening an inspector: a listener takes the place of Node's own. Returns a check that ends the process if
 * an inspector is open, or is asked for by an option or by NODE_OPTIONS.
 */
async function closeInspector(name) {
  if (process.env[INSPECTOR_ALLOWED] === '1') return () => {};
  let isLogged = false;
  process.on('SIGUSR1', () => {
    if (!isLogged) process.stderr.write(`${name} ignores SIGUSR1 and opens no inspector\n`);
    isLogged = true;
  });
  const inspector = process.features.inspector ? await import('node:inspector') : undefined;
  return () => {
    const options = [...process.execArgv, process.env.NODE_OPTIONS].join(' ');
    const isAsked = INSPECTOR_OPTION.test(options);
    if (!isAsked && inspector?.url() === undefined) return;
    process.stderr.write(
      `${name} does not run with an inspector: every user of this machine could run code in it; ${INSPECTOR_ALLOWED}=1 allows it for development\n`,
    );
    process.exit(isAsked ? EXIT_USAGE : EXIT_FAILED);
  };
}

function refuse(name) {
  process.stderr.write(
    `${name} needs Node ${NODE_MAJOR_MIN} or later; this is ${process.version}\n`,
  );
  process.exit(EXIT_FAILED);
}

/** The Node that is installed as a package in the nearest directory above the program that has one. */
function newerNode(file) {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', '.bin', 'node');
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Below the home directory: code in a shared directory must not be run. */
function cacheDirectory() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc');
}

/** The starter's side: it lives as long as the program. */
function startWith(name, newer, file) {
  const child = spawn(newer, [file, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [STARTED]: '1' },
  });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (child.connected) child.send(signal, () => undefined);
      else child.kill(signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`cannot start ${newer}: ${error.message}\n`);
    process.exit(EXIT_FAILED);
  });
  child.on('exit', (code, signal) => {
    if (BROKEN.has(signal))
      process.stderr.write(`${name} was ended by ${signal}: ${BROKEN.get(signal)}\n`);
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}

/**
 * The program's side. Terminals and service managers send a signal to the starter and to the program: what the starter
 * passes on counts only if the program did not get it by itself, since a second signal ends some programs at once.
 */
export function followStarter() {
  /** When each signal reached the program by itself, as far as the starter has not passed it on yet. */
  const arrivals = new Map(SIGNALS.map((signal) => [signal, []]));
  let isRaising = false;
  const match = (signal) => {
    const oldest = performance.now() - MATCH_MILLIS;
    const recent = arrivals.get(signal).filter((time) => time > oldest);
    arrivals.set(signal, recent.slice(1));
    return recent.length > 0;
  };
  const raise = (signal) => {
    isRaising = true;
    process.emit(signal, signal, constants.signals[signal]);
    isRaising = false;
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // With this listener alone the signal has to do what it does without any.
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
      if (!isRaising) arrivals.get(signal).push(performance.now());
    });
  }
  process.on('message', (signal) => {
    if (!SIGNALS.includes(signal) || match(signal)) return;
    setTimeout(() => match(signal) || raise(signal), GRACE_MILLIS).unref();
  });
  process.on('disconnect', () => raise('SIGTERM'));
  process.channel.unref();
}
