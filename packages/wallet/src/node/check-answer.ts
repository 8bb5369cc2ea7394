/**
 * Checks every document of a node against the contract before the wallet uses it.
 */
import { ROUTES, type RouteName } from 'svc-api';
import { ClientError } from 'svc-client';
import { Compile, type Validator } from 'typebox/compile';

const validators = new Map<RouteName, Validator>();

export function checkAnswer(name: RouteName, document: unknown): void {
  let validator = validators.get(name);
  if (validator === undefined) {
    validator = Compile(ROUTES[name].answer);
    validators.set(name, validator);
  }
  if (validator.Check(document)) return;
  const [fault] = validator.Errors(document);
  const where = fault === undefined ? '' : ` at ${fault.instancePath || '/'}: ${fault.message}`;
  throw new ClientError('bad_answer', `the node's answer to ${name} breaks the contract${where}`);
}
