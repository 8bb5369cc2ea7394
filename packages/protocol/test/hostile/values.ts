/**
 * Values that no parameter is meant for: of every type, of wrong lengths, and objects that fight
 * back when they are looked at.
 */
class LyingBytes extends Uint8Array {
  override get length(): number {
    return 1952;
  }
}

function throwing(): never {
  throw new Error('the value was looked into');
}

const angryHandler = Object.fromEntries(
  Reflect.ownKeys(Reflect)
    .filter((name) => typeof name === 'string')
    .map((name) => [name, throwing]),
);

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function detached(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  structuredClone(bytes, { transfer: [bytes.buffer] });
  return bytes;
}

/** A view that the shrinking of its buffer has left without bytes. */
function outOfBounds(length: number): Uint8Array {
  const buffer = new ArrayBuffer(length, { maxByteLength: length });
  const bytes = new Uint8Array(buffer, 0, length);
  buffer.resize(0);
  return bytes;
}

const angryObject = {
  get length(): number {
    return throwing();
  },
  toString: throwing,
  valueOf: throwing,
  toJSON: throwing,
};

export const HOSTILE: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  null: null,
  true: true,
  'minus one': -1,
  'minus zero': -0,
  half: 0.5,
  NaN: Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  '2^32': 2 ** 32,
  '2^53': 2 ** 53,
  bigint: 10n,
  symbol: Symbol('hostile'),
  function: throwing,
  'empty text': '',
  'a word': 'hostile',
  'a lone surrogate': '\ud800',
  'a null character': '\0',
  'the text of a number': '1e3',
  'a long text': 'a'.repeat(5_000_000),
  'deep JSON': '['.repeat(100_000),
  'a prototype in JSON': '{"__proto__":{"threshold":"2"}}',
  'null as JSON': 'null',
  'an empty object as JSON': '{}',
  'an empty list as JSON': '[]',
  'a String object': Object('hostile'),
  'an object': {},
  'an object without prototype': Object.create(null),
  'an object that throws': angryObject,
  'a list of nothing': [undefined],
  'a list of holes': new Array(2),
  'a list as long as can be': new Array(2 ** 32 - 1),
  'a list that throws': new Proxy([], angryHandler),
  'a proxy that throws': new Proxy({}, angryHandler),
  'a revoked proxy': revoked({}),
  'a revoked proxy of a list': revoked([]),
  'a revoked proxy of bytes': revoked(new Uint8Array(48)),
  'a proxy of bytes': new Proxy(new Uint8Array(48), {}),
  'bytes in name only': Object.create(Uint8Array.prototype),
  'bytes that lie about their length': new LyingBytes(3),
  'no bytes': new Uint8Array(0),
  'one byte': Uint8Array.of(1),
  'many bytes': new Uint8Array(1 << 20),
  'detached bytes': detached(48),
  'bytes out of bounds': outOfBounds(48),
  'shared bytes': new Uint8Array(new SharedArrayBuffer(16)),
  'clamped bytes': new Uint8ClampedArray(48),
  words: new Uint16Array(48),
  'a buffer': new ArrayBuffer(48),
  'a view': new DataView(new ArrayBuffer(48)),
  'a date': new Date(0),
  'a map': new Map(),
};
