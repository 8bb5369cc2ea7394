/**
 * A validator's application for a genesis: what the document will say of it, the address that pays for its
 * heartbeats, and a signature of the consensus key over all of that. Nothing secret is in it.
 */
import { readFileSync, statSync } from 'node:fs';
import { CliError, EXIT } from 'svc-base/cli';
import { decodeOverlayEndpoint, type OverlayEndpoint } from 'svc-network/endpoint';
import {
  CONTEXTS,
  contextBytes,
  decodeAddress,
  expectNetwork,
  Fields,
  fromHex,
  LABELS,
  type Network,
  SvcError,
} from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { hashLabel } from 'svc-wasm/protocol';

/** As in the file: amounts in atoms, keys in hexadecimal. */
export interface Terms {
  readonly network: Network;
  readonly owner_address: string;
  readonly reward_address: string;
  readonly amount: string;
  readonly commission_bps: string;
  readonly consensus_public_key: string;
  readonly overlay_endpoint: string;
  /** The address that pays for heartbeats. */
  readonly fee_address: string;
}

export interface Application {
  readonly terms: Terms;
  readonly endpoint: OverlayEndpoint;
}

const VERSION = 1n;
const TERMS = [
  'network',
  'owner_address',
  'reward_address',
  'amount',
  'commission_bps',
  'consensus_public_key',
  'overlay_endpoint',
  'fee_address',
] as const;
const FIELDS = ['application_version', ...TERMS, 'signature'];
const FILE_BYTES_MAX = 65_536;
const PUBLIC_KEY_BYTES = 1_952;
const SIGNATURE_BYTES = 3_309;
const AMOUNT_MAX = 2n ** 63n - 1n;
/** Tells this message from the one that a registration on the chain signs in the same context. */
const PURPOSE = 'genesis application 1';

/** The text of an application file, signed with the secret half of its consensus key. */
export function formatApplication(terms: Terms, secretKey: Uint8Array): string {
  const context = contextBytes(CONTEXTS.possession);
  const signature = mlDsa65.sign(secretKey, messageOf(terms), { context });
  const ordered = Object.fromEntries(TERMS.map((name) => [name, terms[name]]));
  const document = {
    application_version: String(VERSION),
    ...ordered,
    signature: Buffer.from(signature).toString('hex'),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Reads an application and checks its signature; the amounts are judged where a genesis is made. */
export function readApplication(file: string): Application {
  const text = readText(file);
  return refusing(() => parseApplication(text), `${file}: `);
}

/** Turns a refusal of a reader into a usage error of the command. */
export function refusing<T>(read: () => T, place = ''): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new CliError(EXIT.usage, place + error.message, { cause: error });
  }
}

export function parseApplication(text: string): Application {
  const fields = Fields.parse(text, '', FIELDS);
  fields.decimal('application_version', { min: VERSION, max: VERSION });
  const network = expectNetwork(fields.value('network'), 'network');
  for (const name of ['owner_address', 'reward_address', 'fee_address'])
    decodeAddress(fields.value(name), network, fields.at(name));
  fields.decimal('amount', { max: AMOUNT_MAX });
  fields.decimal('commission_bps', { max: AMOUNT_MAX });
  const publicKey = fields.hex('consensus_public_key', PUBLIC_KEY_BYTES);
  const endpoint = decodeOverlayEndpoint(fields.hex('overlay_endpoint'), 'overlay_endpoint');
  const signature = fields.hex('signature', SIGNATURE_BYTES);
  const terms = Object.fromEntries(
    TERMS.map((name) => [name, fields.value(name)]),
  ) as unknown as Terms;
  const context = contextBytes(CONTEXTS.possession);
  if (!mlDsa65.verify(publicKey, messageOf(terms), signature, { context })) {
    const message = 'the signature does not fit: the file was changed, or it is of another key';
    throw new SvcError('bad_signature', message, { path: 'signature' });
  }
  return { terms, endpoint };
}

/** The validator as the genesis document writes it. */
export function validatorEntry({ terms }: Application): object {
  const { network: _network, fee_address: _fee, ...entry } = terms;
  return entry;
}

/** Twice the same key or overlay identity would make one validator out of two machines. */
export function expectDistinct(applications: readonly Application[]): void {
  const seen = new Set<string>();
  for (const { terms, endpoint } of applications) {
    const names = [
      ['consensus key', terms.consensus_public_key],
      ['overlay key', endpoint.keyHash],
    ] as const;
    for (const [what, name] of names) {
      if (!seen.has(name)) {
        seen.add(name);
        continue;
      }
      const message = `two applications have the same ${what} ${name.slice(0, 16)}…`;
      throw new CliError(EXIT.refused, message, {
        hint: 'every machine makes its own with `svcd validator init`; nothing of it is copied',
      });
    }
  }
}

function messageOf(terms: Terms): Uint8Array {
  const encoder = new TextEncoder();
  const list = JSON.stringify(TERMS.map((name) => terms[name]));
  return hashLabel(LABELS.possession, encoder.encode(PURPOSE), encoder.encode(list));
}

function readText(file: string): string {
  try {
    if (statSync(file).size > FILE_BYTES_MAX)
      throw new CliError(EXIT.usage, `${file}: expected at most ${FILE_BYTES_MAX} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.failed, `${file} cannot be read (${code})`);
  }
}

/** The start of a name that tells keys apart. */
export function shortName({ terms }: Application): string {
  const id = hashLabel(LABELS.key, fromHex(terms.consensus_public_key));
  return Buffer.from(id).toString('hex').slice(0, 16);
}
