/**
 * ML-DSA-65 (FIPS 204) for the host: pure, hedged by default, with context strings. Arguments are written into the
 * kernel's memory and secrets among them wiped after the call.
 */
import { expectBytes } from '../base/bytes.ts';
import { isArray, kindOf } from '../base/kind-of.ts';
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { kernel } from './current.ts';
import { ExpandedKey, slotTable } from './expanded-key.ts';
import type { KernelInstance } from './instance.ts';

export const SEED_BYTES = 32;
const SECRET_KEY_BYTES = 4032;
const RANDOM_BYTES = 32;
export const CONTEXT_BYTES_MAX = 255;

/** Where arguments are, from the start of the kernel's input. */
const SIGNATURE_AT = 0;
const PUBLIC_KEY_AT = 4096;
const SECRET_KEY_AT = 0;
const RANDOM_AT = SECRET_KEY_BYTES;
const CONTEXT_AT = 6144;
const MESSAGE_AT = CONTEXT_AT + 256;
/** Where key generation leaves its results, from the start of the kernel's output. */
const NEW_SECRET_KEY_AT = 2048;

const EMPTY = new Uint8Array(0);

export interface KeyPair {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

export interface VerifyOptions {
  /** At most 255 bytes that name the use of the signature; none by default. */
  readonly context?: Uint8Array;
}

export interface SignOptions extends VerifyOptions {
  /** 32 bytes; fresh ones are drawn by default, and zeros make the signature deterministic. */
  readonly random?: Uint8Array;
}

export interface MlDsa65 {
  keygen(seed: Uint8Array): KeyPair;
  sign(secretKey: Uint8Array, message: Uint8Array, options?: SignOptions): Uint8Array;
  /**
   * Whether the signature holds. Returns false, and throws nothing, for a signature of a wrong length too.
   */
  verify(
    publicKey: Uint8Array | ExpandedKey,
    message: Uint8Array,
    signature: Uint8Array,
    options?: VerifyOptions,
  ): boolean;
  /** Prepares a key that many signatures will be checked with. */
  expand(publicKey: Uint8Array): ExpandedKey;
}

interface ReadOptions {
  readonly context: Uint8Array;
  readonly random: Uint8Array | undefined;
}

const NO_OPTIONS: ReadOptions = { context: EMPTY, random: undefined };

function isList(value: object): boolean {
  return ArrayBuffer.isView(value) || isArray(value);
}

/** Reads options once. A context in their place is refused, not ignored. */
function readOptions(options: SignOptions | undefined): ReadOptions {
  if (options === undefined) return NO_OPTIONS;
  if (typeof options !== 'object' || options === null || isList(options)) {
    const found = `expected an object of options, found ${kindOf(options)}`;
    throw new SvcError('bad_type', found, { path: 'options' });
  }
  try {
    const { context = EMPTY, random } = options;
    return { context, random };
  } catch (cause) {
    throw new SvcError('bad_type', 'the options cannot be read', { path: 'options', cause });
  }
}

interface WrittenMessage {
  readonly messageLength: number;
  readonly contextLength: number;
}

/** Writes context and message to the kernel's input. */
function writeMessage(
  { bytes, input, inputBytes }: KernelInstance,
  message: Uint8Array,
  context: Uint8Array,
): WrittenMessage {
  const label = expectAtMost(context, 'context', CONTEXT_BYTES_MAX);
  const text = expectAtMost(message, 'message', inputBytes - MESSAGE_AT);
  bytes.set(label, input + CONTEXT_AT);
  bytes.set(text, input + MESSAGE_AT);
  return { messageLength: text.length, contextLength: label.length };
}

function expectAtMost(value: Uint8Array, path: string, most: number): Uint8Array {
  const bytes = expectBytes(value, path);
  if (bytes.length <= most) return bytes;
  throw new SvcError('bad_length', `expected at most ${most} bytes, found ${bytes.length}`, {
    path,
  });
}

function keygen(instance: KernelInstance, seed: Uint8Array): KeyPair {
  const { bytes, input, output } = instance;
  const secretAt = output + NEW_SECRET_KEY_AT;
  bytes.set(expectBytes(seed, 'seed', SEED_BYTES), input);
  instance.invoke((exports) => exports.mldsaKeygen(input, output, secretAt));
  const publicKey = bytes.slice(output, output + PUBLIC_KEY_BYTES);
  const secretKey = bytes.slice(secretAt, secretAt + SECRET_KEY_BYTES);
  bytes.fill(0, input, input + SEED_BYTES);
  bytes.fill(0, secretAt, secretAt + SECRET_KEY_BYTES);
  return { publicKey, secretKey };
}

function writeSecrets(
  instance: KernelInstance,
  secretKey: Uint8Array,
  random: Uint8Array | undefined,
): void {
  const { bytes, input } = instance;
  const randomAt = input + RANDOM_AT;
  if (random === undefined) {
    crypto.getRandomValues(bytes.subarray(randomAt, randomAt + RANDOM_BYTES));
  } else {
    bytes.set(expectBytes(random, 'random', RANDOM_BYTES), randomAt);
  }
  bytes.set(expectBytes(secretKey, 'secretKey', SECRET_KEY_BYTES), input + SECRET_KEY_AT);
}

function sign(
  instance: KernelInstance,
  secretKey: Uint8Array,
  message: Uint8Array,
  { context, random }: ReadOptions,
): Uint8Array {
  const { bytes, input, output } = instance;
  const { messageLength, contextLength } = writeMessage(instance, message, context);
  try {
    writeSecrets(instance, secretKey, random);
    const signed = instance.invoke((exports) =>
      exports.mldsaSign(
        input + SECRET_KEY_AT,
        input + MESSAGE_AT,
        messageLength,
        input + CONTEXT_AT,
        contextLength,
        input + RANDOM_AT,
        output,
      ),
    );
    if (signed === 1) return bytes.slice(output, output + SIGNATURE_BYTES);
    throw new SvcError('bad_secret_key', 'expected a key that key generation made', {
      path: 'secretKey',
    });
  } finally {
    bytes.fill(0, input + SECRET_KEY_AT, input + RANDOM_AT + RANDOM_BYTES);
  }
}

interface VerifyCall {
  readonly name: 'mldsaVerify' | 'mldsaVerifyExpanded';
  readonly keyAt: number;
}

/** Writes the key for the call unless it is expanded; returns where the kernel finds it. */
function writeKey(instance: KernelInstance, key: Uint8Array | ExpandedKey): VerifyCall {
  const keyAt = instance.input + PUBLIC_KEY_AT;
  if (key instanceof ExpandedKey) {
    const slot = slotTable(instance).addressOf(key);
    if (slot !== 0) return { name: 'mldsaVerifyExpanded', keyAt: slot };
    key.copyPublicKey(instance.bytes, keyAt);
  } else {
    instance.bytes.set(key, keyAt);
  }
  return { name: 'mldsaVerify', keyAt };
}

function verify(
  instance: KernelInstance,
  key: Uint8Array | ExpandedKey,
  message: Uint8Array,
  signature: Uint8Array,
  context: Uint8Array,
): boolean {
  const { bytes, input } = instance;
  const known = ExpandedKey.is(key) ? key : expectBytes(key, 'publicKey');
  const signed = expectBytes(signature, 'signature');
  const keyFits = known instanceof ExpandedKey || known.length === PUBLIC_KEY_BYTES;
  const call = keyFits ? writeKey(instance, known) : undefined;
  const { messageLength, contextLength } = writeMessage(instance, message, context);
  if (call === undefined || signed.length !== SIGNATURE_BYTES) return false;
  bytes.set(signed, input + SIGNATURE_AT);
  const holds = instance.invoke((exports) =>
    exports[call.name](
      call.keyAt,
      input + MESSAGE_AT,
      messageLength,
      input + CONTEXT_AT,
      contextLength,
      input + SIGNATURE_AT,
    ),
  );
  return holds === 1;
}

/** The functions over whichever kernel `current` gives when they are called. */
export function mlDsa65With(current: () => KernelInstance): MlDsa65 {
  return {
    keygen: (seed) => keygen(current(), seed),
    sign: (secretKey, message, options) =>
      sign(current(), secretKey, message, readOptions(options)),
    verify: (key, message, signature, options) =>
      verify(current(), key, message, signature, readOptions(options).context),
    expand: (publicKey) => {
      const key = new ExpandedKey(publicKey);
      slotTable(current()).addressOf(key);
      return key;
    },
  };
}

export const mlDsa65: MlDsa65 = mlDsa65With(kernel);
