/**
 * The command `svc-signer`: options, start, end.
 */
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  CliError,
  collect,
  createProgram,
  describeCliFailure,
  EXIT,
  executeCommandLine,
  openProgramLog,
  result,
  serveProgram,
} from 'svc-base/cli';
import {
  ConfigError,
  createSecret,
  fingerprintOf,
  makeDirectory,
  releaseOf,
  selfSigned,
} from 'svc-base/node';
import { messageOf } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { ValidatorStartError } from 'svc-consensus/shell';
import { type SignerFlags, signerOptions } from './options.ts';
import { startSigner } from './start-signer.ts';

const RELEASE = releaseOf(new URL('../../package.json', import.meta.url));

function buildProgram(): Command {
  const program = createProgram({
    name: 'svc-signer',
    description:
      'Holds a consensus key and the record of what it signed; nodes ask it for signatures.',
    release: RELEASE,
  });
  program
    .command('run')
    .description('serve nodes until a signal comes')
    .option('--network <name>', 'of the key file', 'mainnet')
    .requiredOption('--chain-id <hex>', 'of the chain that is signed for')
    .requiredOption('--key-file <file>', 'the encrypted consensus key')
    .requiredOption('--password-file <file>', 'the password of the key file')
    .requiredOption('--state-dir <folder>', 'where the file sign-state is')
    .option('--new-sign-state', 'begin a new record: the old one is lost for good')
    .option('--socket <path>', 'listen on a socket that only this user may open')
    .option('--listen-tls <address:port>', 'listen for nodes on other machines')
    .option('--tls-certificate <file>', 'certificate of this signer, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--client <fingerprint>', 'SHA-256 of the certificate of a node that may ask', collect)
    .option('--log <level>', 'debug, info, warn or error', 'info')
    .option('--json', 'log as JSON lines')
    .allowExcessArguments(false)
    .action(serve);
  program
    .command('certificate <folder>')
    .description('make a key and a certificate for either side, and print the fingerprint')
    .allowExcessArguments(false)
    .action(makeCertificate);
  return program;
}

/** `words` are the arguments after the name of the program. Returns the exit code, once the signer has ended. */
export function main(words: readonly string[]): Promise<number> {
  return executeCommandLine(words, {
    buildProgram,
    describeFailure: describeCliFailure,
    shortHelp: '`svc-signer run` serves nodes; `svc-signer --help` lists commands and options',
  });
}

async function serve(flags: SignerFlags): Promise<void> {
  const log = openProgramLog(flags.log, flags.json === true);
  await serveProgram(async () => {
    try {
      const signer = await startSigner(signerOptions(flags), { clock: SYSTEM_CLOCK, log, onFatal });
      const { keyHash, socket, tls } = signer;
      return { addresses: { key_hash: keyHash, socket, tls }, close: () => signer.close() };
    } catch (error) {
      if (error instanceof ConfigError || error instanceof ValidatorStartError)
        throw new CliError(EXIT.refused, error.message);
      throw error;
    }
  }, 'is the address free, and may this user write to the folder of the socket?');
  function onFatal(error: unknown): never {
    log.error({ error: messageOf(error) }, 'the record cannot be written: nothing more is signed');
    process.exit(EXIT.failed);
  }
}

async function makeCertificate(folder: string): Promise<void> {
  const { cert, key } = selfSigned('svc-signer');
  await makeDirectory(folder);
  await createSecret(join(folder, 'tls.key'), new TextEncoder().encode(key));
  await createSecret(join(folder, 'tls.crt'), new TextEncoder().encode(cert));
  result(fingerprintOf(cert));
}
