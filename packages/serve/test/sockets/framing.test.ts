/**
 * The framing of WebSockets, byte by byte: lengths, masks, fragments, control frames, reserved bits, opcodes,
 * UTF-8 and the closing handshake, each in every form that a client may use and in those that it may not.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { clientFrame, OPCODES, RawSocket, type ServerFrame } from './testing/raw-socket.ts';
import { SocketNode } from './testing/socket-node.ts';

const { text, continuation, ping, pong, close } = OPCODES;
const PING = '{"type":"ping","data":{"id":1}}';
const PONG = '{"type":"pong","data":{"id":1}}';
const MASK = [0x37, 0xfa, 0x21, 0x3d];
const WIDE = '{"type":"ping","data":{"id":"κόσμε𝄞"}}';

function shown({ opcode, payload }: ServerFrame): [number, string] {
  return [opcode, payload.toString('utf8')];
}

function closeFrame(code: number, reason: Uint8Array | string = ''): Buffer {
  return clientFrame(close, Buffer.concat([Buffer.of(code >> 8, code & 255), Buffer.from(reason)]));
}

suite('the framing of sockets', () => {
  const endings: (() => Promise<void> | void)[] = [];
  let node: SocketNode;
  before(async () => {
    const ending = (end: () => Promise<void>): void => void endings.push(end);
    node = await SocketNode.start({ after: ending as never });
  });
  after(async () => {
    for (const end of endings) await end();
  });

  const open = () => RawSocket.send(node.origin, 'api');

  /** Writes, and gives the first frames that come back. */
  async function answers(pieces: readonly Uint8Array[], count = 1): Promise<[number, string][]> {
    const raw = await open();
    raw.write(...pieces);
    const frames = await raw.framesUntil(count);
    raw.socket.destroy();
    return frames.slice(0, count).map(shown);
  }

  async function closedBy(...pieces: readonly Uint8Array[]): Promise<number> {
    const raw = await open();
    raw.write(...pieces);
    return raw.closeCode();
  }

  test('texts of every form of length are read, masked with anything', async () => {
    const raw = await open();
    const lengths = [PING.length, 125, 126, 127, 128, 65_535, 65_536];
    for (const length of lengths) raw.write(clientFrame(text, PING.padEnd(length), { mask: MASK }));
    const frames = await raw.framesUntil(lengths.length);
    raw.socket.destroy();
    assert.deepEqual(
      frames.map(shown),
      lengths.map(() => [text, PONG]),
    );
  });

  test('a frame may come a byte at a time', async () => {
    const raw = await open();
    raw.socket.setNoDelay(true);
    for (const byte of clientFrame(text, PING.padEnd(130), { mask: MASK })) {
      raw.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    assert.deepEqual((await raw.framesUntil(1)).map(shown), [[text, PONG]]);
    raw.socket.destroy();
  });

  test('fragments may be empty, and control frames come between them', async () => {
    const half = PING.length / 2;
    const fragments = [
      clientFrame(text, '', { final: false }),
      clientFrame(continuation, PING.slice(0, half), { final: false }),
      clientFrame(ping, 'between'),
      clientFrame(pong, 'nobody asked'),
      clientFrame(continuation, PING.slice(half), { final: false }),
      clientFrame(continuation, ''),
    ];
    assert.deepEqual(await answers(fragments, 2), [
      [pong, 'between'],
      [text, PONG],
    ]);
  });

  test('a message that begins within another ends the connection', async () => {
    const begun = clientFrame(text, PING, { final: false });
    assert.equal(await closedBy(begun, clientFrame(text, PING)), 1_002);
    const ended = clientFrame(continuation, '');
    assert.equal(await closedBy(begun, ended, clientFrame(continuation, '')), 1_002);
    for (const opcode of [ping, pong, close])
      assert.equal(await closedBy(clientFrame(opcode, '', { final: false })), 1_002);
  });

  test('a ping comes back with its bytes, none or 125 of any kind', async () => {
    const bytes = Buffer.from(Array.from({ length: 125 }, (_, index) => 255 - index));
    const raw = await open();
    raw.write(clientFrame(ping, ''), clientFrame(pong, 'unasked'), clientFrame(ping, bytes));
    const frames = await raw.framesUntil(2);
    raw.socket.destroy();
    assert.deepEqual(
      frames.map(({ opcode, payload }) => [opcode, payload.toString('hex')]),
      [
        [pong, ''],
        [pong, bytes.toString('hex')],
      ],
    );
    for (const opcode of [ping, pong, close])
      assert.equal(await closedBy(clientFrame(opcode, Buffer.alloc(126))), 1_002);
  });

  test('reserved bits and reserved opcodes end the connection', async () => {
    for (const reserved of [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70]) {
      for (const opcode of [text, ping, close])
        assert.equal(await closedBy(clientFrame(opcode, '', { reserved })), 1_002);
    }
    for (const opcode of [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
      assert.equal(await closedBy(clientFrame(opcode, '')), 1_002, `opcode ${opcode}`);
  });

  test('characters may be cut anywhere by fragments, and have one spelling', async () => {
    const bytes = Buffer.from(WIDE);
    const pieces = [...bytes].map((byte, at) =>
      clientFrame(at === 0 ? text : continuation, Buffer.of(byte), {
        final: at === bytes.length - 1,
      }),
    );
    assert.deepEqual(await answers(pieces), [[text, WIDE.replace('ping', 'pong')]]);
    const wrong = [
      '80',
      'bf',
      'c0af',
      'c1bf',
      'e080af',
      'e09fbf',
      'eda080',
      'edbfbf',
      'f08080af',
      'f08fbfbf',
      'f4908080',
      'f880808080',
      'fe',
      'ff',
      'ceba e1bd b9cf 83ce bcce b5ed a080 65'.replaceAll(' ', ''),
    ];
    for (const hex of wrong)
      assert.equal(await closedBy(clientFrame(text, Buffer.from(hex, 'hex'))), 1_007, hex);
    const cut = clientFrame(text, Buffer.from('cebae1bd', 'hex'), { final: false });
    assert.equal(await closedBy(cut, clientFrame(continuation, '')), 1_007);
  });

  test('a close is answered with its code, and nothing after it is read', async () => {
    assert.equal(await closedBy(clientFrame(close, '')), 1_005);
    for (const code of [1_000, 1_001, 1_002, 1_003, 1_007, 1_011, 3_000, 3_999, 4_000, 4_999])
      assert.equal(await closedBy(closeFrame(code)), code);
    assert.equal(await closedBy(closeFrame(1_000, 'x'.repeat(123))), 1_000);
    const raw = await open();
    raw.write(closeFrame(1_000), clientFrame(ping, 'late'), clientFrame(text, PING));
    assert.equal(await raw.closeCode(), 1_000);
    assert.deepEqual(
      raw.frames.map(({ opcode }) => opcode),
      [close],
    );
  });

  test('a close with half a code, a code that nobody may send or a broken reason is a fault', async () => {
    assert.equal(await closedBy(clientFrame(close, Buffer.of(3))), 1_002);
    for (const code of [0, 999, 1_004, 1_005, 1_006, 1_015, 1_016, 1_100, 2_000, 2_999, 5_000])
      assert.equal(await closedBy(closeFrame(code)), 1_002, String(code));
    assert.equal(await closedBy(closeFrame(65_535)), 1_002);
    assert.equal(await closedBy(closeFrame(1_000, Buffer.from('eda080', 'hex'))), 1_007);
  });
});
