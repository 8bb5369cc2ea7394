import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asyncApiDocument, CLIENT_FRAMES, SERVER_FRAMES, SOCKET_ENDPOINTS } from '../index.ts';

interface Document {
  readonly channels: Readonly<
    Record<string, { address: string; messages: object; bindings: { ws: { headers: object } } }>
  >;
  readonly operations: Readonly<Record<string, { action: string; channel: { $ref: string } }>>;
}

const document = JSON.parse(JSON.stringify(asyncApiDocument('1.2.3'))) as Document;

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' ? [String(inner)] : referencesIn(inner),
  );
}

function resolve(reference: string): unknown {
  const [root, ...names] = reference.split('/');
  assert.equal(root, '#');
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document);
}

test('[VER-03] the document names every socket with its path and versioned subprotocol', () => {
  assert.deepEqual(Object.keys(document.channels), Object.keys(SOCKET_ENDPOINTS));
  for (const [name, { path, subprotocol }] of Object.entries(SOCKET_ENDPOINTS)) {
    const channel = document.channels[name];
    assert.equal(channel?.address, path);
    assert.match(subprotocol, /^svc\.[a-z-]+\.v1$/);
    assert.ok(JSON.stringify(channel?.bindings.ws.headers).includes(`"${subprotocol}"`));
  }
});

test('every frame is a message of its channel, in the direction in which it goes', () => {
  for (const [endpoint, frames] of Object.entries(SERVER_FRAMES)) {
    const received = endpoint === 'api' ? Object.keys(CLIENT_FRAMES) : [];
    const sent = Object.keys(frames);
    const channel = document.channels[endpoint];
    assert.deepEqual(Object.keys(channel?.messages ?? {}).sort(), [...received, ...sent].sort());
    for (const [names, action] of [
      [received, 'receive'],
      [sent, 'send'],
    ] as const) {
      for (const name of names) {
        const operation = document.operations[`${endpoint}.${name}`];
        assert.equal(operation?.action, action);
        assert.equal(operation?.channel.$ref, `#/channels/${endpoint}`);
      }
    }
  }
});

test('every reference leads somewhere', () => {
  const references = referencesIn(document);
  assert.ok(references.length > 50);
  for (const reference of references) assert.ok(resolve(reference) !== undefined, reference);
});
