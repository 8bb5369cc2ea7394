/** Bodies that are not what a route takes: hostile JSON, and wrong values in every field of every schema. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isErrorCode, ROUTE_LIST, type Route } from 'svc-api';
import { errorOf } from './testing/http-node.ts';
import { useStoryNode } from './testing/story-node.ts';

type Json = Record<string, unknown>;

suite('JSON bodies', () => {
  const use = useStoryNode();
  const send = (path: string, body: string) => use.node.send(path, { body });
  const address = () => use.story.services.chain.text(0);

  /** A body that the route takes. */
  function goodBody({ name }: Route): Json {
    const id = use.story.payment.id;
    const bodies: Record<string, Json> = {
      transactionsStatus: { transaction_ids: [id] },
      proofsUtxos: { outpoints: [{ transaction_id: id, output_index: 0 }] },
      proofsCuts: { heights: [1] },
      proofsChanges: { height: 1, addresses: [address()] },
      proofsOutcomes: { height: 1, transaction_ids: [id] },
      transactionSubmit: { wire_hex: 'abcd' },
      transactionsSubmit: { wires_hex: ['abcd'] },
      addressChanges: { addresses: [address()], after_height: 0 },
    };
    return { api_version: 1, ...(bodies[name] ?? { addresses: [address()] }) };
  }

  const posts = ROUTE_LIST.filter(({ body }) => body !== undefined);

  test('JSON that JSON.parse would take, or make something else of, is refused', async () => {
    const good = JSON.stringify(address());
    const bodies = [
      `{"api_version":1,"addresses":[${good}],"addresses":[${good}]}`,
      `{"api_version":1,"addresses":[${good}],"\\u0061ddresses":[]}`,
      `{"__proto__":{"addresses":[${good}]},"api_version":1}`,
      `{"api_version":1,"addresses":[${good}],"__proto__":{}}`,
      `{"api_version":1,"addresses":[${good}],"constructor":{"prototype":{"x":1}}}`,
      `{"api_version":1e309,"addresses":[${good}]}`,
      `{"api_version":1.0,"addresses":[${good}]}`,
      `{"api_version":1e0,"addresses":[${good}]}`,
      `{"api_version":-0,"addresses":[${good}]}`,
      `{"api_version":12345678901234567890,"addresses":[${good}]}`,
      `{"api_version":1,"addresses":["\\ud800"]}`,
      `{"api_version":1,"addresses":["\\udc00\\ud800"]}`,
      `{"api_version":1,"addresses":[${good},]}`,
      `{"api_version":1,"addresses":[${good}],}`,
      `{"api_version":1,"addresses":[${good}]} {}`,
      `{"api_version":1,"addresses":[${good}]}//`,
      `{'api_version':1}`,
      '{"api_version":NaN}',
      `{"api_version":1,"addresses":["a\u0000b"]}`,
      '{"api_version":1,"addresses":["\t"]}',
      '[',
      '',
      ' ',
      'null',
      '[]',
      '"text"',
      '1',
    ];
    for (const body of bodies) {
      const received = await send('/v1/address/balances', body);
      assert.equal(received.status, 400, body);
      assert.ok(isErrorCode(errorOf(received).code));
    }
    assert.equal(({} as Json)['x'], undefined, 'no prototype was changed');
  });

  test('depth: 100,000 brackets are refused and nothing overflows', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const depth = open === '[' ? 60_000 : 20_000;
      const nested = `${open.repeat(depth)}1${close.repeat(depth)}`;
      const received = await send(
        '/v1/address/balances',
        `{"api_version":1,"addresses":${nested}}`,
      );
      assert.deepEqual([received.status, errorOf(received).code], [400, 'bad_json']);
    }
  });

  const VALUES: readonly unknown[] = [
    null,
    true,
    false,
    0,
    -1,
    2,
    1.5,
    1e21,
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
    '',
    ' ',
    '0',
    '1',
    '-1',
    'abc',
    'zz'.repeat(48),
    'AB'.repeat(48),
    '00'.repeat(47),
    'é',
    '\u202e',
    '<script>',
    [],
    [[]],
    [null],
    {},
    { length: 1 },
    'a'.repeat(10_000),
  ];

  test('every field of every route refuses every wrong value, with its path, and never fails', async () => {
    let sent = 0;
    for (const route of posts) {
      const fields = Object.keys(route.body?.properties ?? {});
      for (const field of fields) {
        for (const value of VALUES) {
          const body = JSON.stringify({ ...goodBody(route), [field]: value });
          const received = await send(route.path, body);
          sent++;
          assert.notEqual(received.status, 500, `${route.path} ${body.slice(0, 200)}`);
          if (received.status === 200) continue;
          const { code, path, message } = errorOf(received);
          assert.ok(isErrorCode(code), code);
          if (received.status === 400 && code !== 'bad_json') {
            assert.ok(path?.startsWith(field), `${route.path} ${field}: ${path} ${message}`);
          }
        }
      }
    }
    assert.ok(sent > 400);
  });

  test('items of lists refuse wrong values too', async () => {
    for (const route of posts.filter(({ batch }) => batch !== undefined)) {
      const field = route.batch?.field ?? '';
      const good = (goodBody(route)[field] as unknown[])[0];
      // Any bytes in hexadecimal have the form of a transaction, whose receipt reports what is wrong with them, and any
      // whole number has that of a height.
      const isForm = (value: unknown): boolean =>
        route.name === 'proofsCuts'
          ? Number.isSafeInteger(value) && Number(value) >= 0
          : route.name === 'transactionsSubmit' &&
            typeof value === 'string' &&
            /^(?:[0-9a-f]{2})+$/.test(value);
      for (const value of VALUES.filter((each) => !isForm(each))) {
        const received = await send(
          route.path,
          JSON.stringify({ ...goodBody(route), [field]: [good, value] }),
        );
        assert.equal(received.status, 400, `${route.path} ${JSON.stringify(value).slice(0, 80)}`);
        const { code, path = '' } = errorOf(received);
        if (code !== 'bad_json') assert.ok(path.startsWith(`${field}[1]`), path);
      }
    }
  });

  test('missing and unknown fields are named', async () => {
    for (const route of posts) {
      const good = goodBody(route);
      for (const field of route.body?.required ?? []) {
        const { [field]: _, ...rest } = good;
        const received = await send(route.path, JSON.stringify(rest));
        assert.deepEqual(
          [received.status, errorOf(received).code, errorOf(received).path],
          [400, 'missing_field', field],
          route.path,
        );
      }
      const extra = await send(route.path, JSON.stringify({ ...good, surprise: 1 }));
      assert.deepEqual(
        [extra.status, errorOf(extra).code, errorOf(extra).path],
        [400, 'unknown_field', 'surprise'],
        route.path,
      );
      const version = await send(route.path, JSON.stringify({ ...good, api_version: 2 }));
      assert.deepEqual(
        [version.status, errorOf(version).code],
        [400, 'unsupported_version'],
        route.path,
      );
    }
  });

  test('addresses of another network, with a wrong checksum or mixed case are told apart', async () => {
    const good = address();
    const last = good.at(-1) === 'q' ? 'p' : 'q';
    const cases: [string, string][] = [
      [good.slice(0, -1) + last, 'bad_address'],
      [good.slice(0, 10) + good.slice(10).toUpperCase(), 'bad_address'],
      [`t${good.slice(1)}`, 'bad_address'],
      ['x', 'bad_address'],
    ];
    for (const [text, code] of cases) {
      const single = await use.node.get(`/v1/address/${text}/balance`);
      assert.deepEqual(
        [single.status, errorOf(single).code, errorOf(single).path],
        [400, code, 'address'],
      );
      const batch = await use.node.post('/v1/address/balances', {
        api_version: 1,
        addresses: [good, text],
      });
      assert.deepEqual(
        [batch.status, errorOf(batch).code, errorOf(batch).path],
        [400, code, 'addresses[1]'],
      );
    }
  });
});
