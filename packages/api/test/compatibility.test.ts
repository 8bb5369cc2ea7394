/** What `docs/reference/compatibility.md` promises, compared with the interface as it was frozen. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Type } from 'typebox';
import { answerBreaks, requestBreaks } from './surface/breaks.ts';
import { type Shape, shapeOf } from './surface/shape.ts';
import { currentSurface, type Surface } from './surface/surface.ts';

const FROZEN = JSON.parse(
  readFileSync(new URL('../../../vectors/api-v1.json', import.meta.url), 'utf8'),
) as Surface;

/** Echoes of the request: a client that sends no new words gets none. */
const ECHOED = ['method subscribe.events[]'];

test('[VER-08] version 1 has everything that it had: routes, frames, methods, fields, limits and errors', () => {
  const now = currentSurface();
  const broken = (
    part: 'requests' | 'answers',
    breaksOf: (before: Shape, now: Shape) => string[],
  ): string[] =>
    Object.entries(FROZEN[part]).flatMap(([name, before]) => {
      const found = now[part][name];
      if (found === undefined) return [`${name} is gone`];
      return breaksOf(before, found)
        .filter((what) => !ECHOED.some((path) => `${name}${what}`.startsWith(`${path}:`)))
        .map((what) => `${name}${what}`);
    });
  assert.deepEqual(broken('requests', requestBreaks), []);
  assert.deepEqual(broken('answers', answerBreaks), []);
  for (const [code, number] of Object.entries(FROZEN.errors))
    assert.equal(now.errors[code], number, code);
  const demanded = Object.entries(now.requests).filter(
    ([name, shape]) =>
      FROZEN.requests[name] === undefined &&
      FROZEN.answers[name.replace(/ (?:params|query|body)$/, '')] !== undefined &&
      Object.keys(shape).some((path) => path !== '' && !path.endsWith('?')),
  );
  assert.deepEqual(demanded, [], 'a route that took nothing demands nothing');
});

test('what a client of the earlier interface would stumble over is found, and additions are not', () => {
  const before = Type.Object({
    name: Type.String({ maxLength: 8 }),
    more: Type.Optional(Type.Integer()),
    list: Type.Array(Type.Object({ kind: Type.Union([Type.Literal('a'), Type.Literal('b')]) })),
  });
  const cases: [string, ReturnType<typeof Type.Object>, number, number][] = [
    ['the same', before, 0, 0],
    [
      'a new optional field',
      Type.Object({ ...before.properties, x: Type.Optional(Type.Null()) }),
      0,
      0,
    ],
    ['a new field', Type.Object({ ...before.properties, x: Type.Null() }), 1, 0],
    ['a field less', Type.Omit(before, ['name']), 1, 1],
    ['another type', Type.Object({ ...before.properties, name: Type.Integer() }), 1, 1],
    [
      'a lower limit',
      Type.Object({ ...before.properties, name: Type.String({ maxLength: 7 }) }),
      1,
      0,
    ],
    [
      'a higher limit',
      Type.Object({ ...before.properties, name: Type.String({ maxLength: 9 }) }),
      0,
      0,
    ],
    [
      'optional now',
      Type.Object({ ...before.properties, name: Type.Optional(before.properties.name) }),
      0,
      1,
    ],
    ['demanded now', Type.Object({ ...before.properties, more: Type.Integer() }), 1, 0],
    [
      'null too',
      Type.Object({
        ...before.properties,
        more: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
      }),
      0,
      1,
    ],
    [
      'one value less',
      Type.Object({
        ...before.properties,
        list: Type.Array(Type.Object({ kind: Type.Literal('a') })),
      }),
      1,
      0,
    ],
    [
      'one value more',
      Type.Object({
        ...before.properties,
        list: Type.Array(Type.Object({ kind: Type.Enum(['a', 'b', 'c']) })),
      }),
      0,
      1,
    ],
    [
      'a new field of items',
      Type.Object({
        ...before.properties,
        list: Type.Array(Type.Object({ kind: Type.Enum(['a', 'b']), x: Type.Null() })),
      }),
      1,
      0,
    ],
  ];
  for (const [what, after, requests, answers] of cases) {
    const sides = (side: 'request' | 'answer') =>
      [shapeOf(before, side), shapeOf(after, side)] as const;
    assert.equal(requestBreaks(...sides('request')).length, requests, `${what}, in a request`);
    assert.equal(answerBreaks(...sides('answer')).length, answers, `${what}, in an answer`);
  }
});
