import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../release/paths.ts';
import { declaredNames, parseDeclarations } from './declared-names.ts';

const WRITTEN = `/**
 * What the module is.
 */
import type { Other } from './other.ts';
/** How a thing is made. */
export interface Options {
    /** A field; it has one. */
    readonly name?: string;
}
export type Kind = 
/** The first of them. */
'first'
 | 'second';
/** One of two. */
export type Shape = 
/** Round. */
{
    readonly kind: 'circle';
} | {
    readonly kind: 'square';
}
/** The third. */
 | {
    readonly kind: 'line';
    readonly ends: readonly [number, number];
};
/**
 * Makes a thing.
 *
 * @example
 * make({ name: 'x' });
 */
export declare function make({ name }: Options, more?: {
    readonly kind: Kind;
}): Other;
export declare class Thing {
    #private;
    private constructor();
    /** Ends it. */
    close(): void;
}
`;

test('comments, signatures and unions are read out of a declaration file', () => {
  const names = parseDeclarations(WRITTEN, 'thing.ts');
  assert.deepEqual(
    names.map(({ name, comment, signature }) => ({ name, comment, signature })),
    [
      {
        name: 'Options',
        comment: 'How a thing is made.',
        signature:
          'interface Options {\n  /** A field; it has one. */\n  readonly name?: string;\n}',
      },
      {
        name: 'Kind',
        comment: '',
        signature: "type Kind =\n  /** The first of them. */\n  'first'\n  | 'second';",
      },
      {
        name: 'Shape',
        comment: 'One of two.',
        signature: [
          'type Shape =',
          '  /** Round. */',
          '  {',
          "    readonly kind: 'circle';",
          '  } | {',
          "    readonly kind: 'square';",
          '  }',
          '  /** The third. */',
          '  | {',
          "    readonly kind: 'line';",
          '    readonly ends: readonly [number, number];',
          '  };',
        ].join('\n'),
      },
      {
        name: 'make',
        comment: "Makes a thing.\n\n@example\nmake({ name: 'x' });",
        signature: 'function make({ name }: Options, more?: {\n  readonly kind: Kind;\n}): Other;',
      },
      {
        name: 'Thing',
        comment: '',
        signature: 'class Thing {\n  /** Ends it. */\n  close(): void;\n}',
      },
    ],
  );
});

test('every name of an entry is found in the file that declares it', () => {
  const entry = 'packages/devnet/src/index.ts';
  const names = declaredNames([entry]).get(entry) ?? [];
  assert.deepEqual(
    names.map(({ name }) => name),
    ['createDevnet', 'Devnet', 'DevnetFaults', 'DevnetOptions'],
  );
});

test('every member of every union type that a library exports is listed', () => {
  const entries = ['packages/client/src/index.ts', 'packages/client/src/evidence.ts'];
  const names = [...declaredNames(entries).values()].flat();
  const types = names.filter(({ signature }) => signature.startsWith('type '));
  assert.ok(types.length > 10);
  const kindsIn = (text: string) =>
    [...text.matchAll(/\b(?:kind|type|verdict): '\w+'/g)].map(String);
  for (const { name, file, signature } of types) {
    assert.match(signature, /;$/, name);
    const statements = readFileSync(join(ROOT, file), 'utf8').split(/\n\n|\n(?=export )/);
    const written = statements.find((text) => text.includes(`export type ${name} `)) ?? '';
    assert.deepEqual(kindsIn(signature), kindsIn(written), name);
  }
  const claim = types.find(({ name }) => name === 'Claim');
  assert.equal(kindsIn(claim?.signature ?? '').length, 13);
});
