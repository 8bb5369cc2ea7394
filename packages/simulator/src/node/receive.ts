/**
 * What a node does with a payload from the network: cheap checks, signature checks, then the machine.
 */
import type { Certificate, SignedMessage } from 'svc-finality';
import { admit } from 'svc-finality';
import { signedBytesOf } from '../world/keyring.ts';
import type { Payload } from '../world/payload.ts';
import type { Node } from './node.ts';
import { fetchAgain } from './run-effect.ts';

/** How many others a proposal is passed on to by each who receives it. */
const PROPOSAL_FANOUT = 3;

export function receive(node: Node, from: number, payload: Payload): void {
  const { application } = node;
  switch (payload.type) {
    case 'message':
      receiveMessage(node, from, payload);
      break;
    case 'polkaRequest':
      node.input({ ...payload, from });
      break;
    case 'precommitsRequest':
      node.input({ ...payload, from });
      break;
    case 'cutRequest': {
      const cut = application.headers.get(payload.value) ?? node.disk.cuts.get(payload.value);
      const isHeld = application.bodies.has(payload.value) || node.disk.cuts.has(payload.value);
      if (cut !== undefined && isHeld) node.say(from, { type: 'cut', cut });
      break;
    }
    case 'cut':
      application.learn(payload.cut, true);
      if (application.certified.has(payload.cut.id)) fetchAgain(node);
      else application.judgePending();
      break;
  }
}

type MessagePayload = Extract<Payload, { type: 'message' }>;

function receiveMessage(node: Node, from: number, payload: MessagePayload): void {
  const { message, cut } = payload;
  switch (message.kind) {
    case 'summary':
      node.input({ type: 'summary', from, summary: message });
      break;
    case 'polkaCertificate':
      if (message.height === node.state.context.height && isProven(node, message))
        node.input({ type: 'polkaCertificate', certificate: message });
      break;
    case 'commitCertificate': {
      const { height } = node.state.context;
      if (message.height !== height && message.height !== height - 1) break;
      if (!isProven(node, message)) break;
      if (cut !== undefined && cut.id === message.value) node.application.learn(cut, false);
      node.input({ type: 'commitCertificate', certificate: message });
      break;
    }
    case 'proposal':
    case 'prevote':
    case 'precommit':
      receiveSigned(node, message, payload);
      break;
  }
}

function isProven(node: Node, certificate: Certificate): boolean {
  const { world } = node;
  const { set } = world.chain.epochAt(certificate.height);
  const verify = world.keyring.verify;
  return world.protocol.checkCertificate(set, certificate, verify) === undefined;
}

function receiveSigned(node: Node, message: SignedMessage, payload: MessagePayload): void {
  const { world, signer, state } = node;
  if (admit(state, message) !== 'verify') return;
  if (!world.keyring.verify(message, message.signature)) return;
  if (message.validatorIndex === node.index && signer !== undefined) {
    const { kind, height, round } = message;
    if (signer.ownMessageSeen(kind, height, round, signedBytesOf(message)))
      world.fail('signer', `validator ${node.index} saw a message of its own that it never signed`);
  }
  if (message.kind !== 'proposal') {
    node.input({ type: 'vote', vote: message });
    if (message.height === node.state.context.height - 1) node.application.judgePending();
    return;
  }
  const { cut, withBodies } = payload;
  if (cut === undefined || cut.id !== message.value) return;
  node.application.learn(cut, withBodies);
  const receivedAtMs = node.localNow();
  node.input({ type: 'proposal', proposal: message, cutTimeMs: cut.timeMs, receivedAtMs });
  if (node.isHonest) passOn(node, payload);
}

/** A proposal that is new goes on to a few others, so that slow and lossy links do not set the pace. */
function passOn(node: Node, { message, cut }: MessagePayload): void {
  if (cut === undefined) return;
  const withBodies = node.application.bodies.has(cut.id);
  const peers = node.random.shuffled(node.peers()).slice(0, PROPOSAL_FANOUT);
  for (const to of peers) node.say(to, { type: 'message', message, cut, withBodies });
}
