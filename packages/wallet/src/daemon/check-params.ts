/**
 * Holds the parameters of a call against the contract and says what is wrong with the first that fails.
 */
import { METHODS, type MethodName } from 'svc-api/rpc';
import { Compile, type Validator } from 'typebox/compile';
import { refusal } from './rpc-error.ts';

const validators = new Map<MethodName, Validator>();

export function isMethod(name: string): name is MethodName {
  return Object.hasOwn(METHODS, name);
}

export function checkParams(name: MethodName, params: unknown): void {
  let validator = validators.get(name);
  if (validator === undefined) {
    validator = Compile(METHODS[name].params);
    validators.set(name, validator);
  }
  if (validator.Check(params)) return;
  const faults = validator.Errors(params);
  const fault = faults.find(({ keyword }) => keyword === 'additionalProperties') ?? faults[0];
  if (fault === undefined) throw refusal('invalid_params', 'the parameters are refused');
  const base = pathOf(fault.instancePath);
  if (fault.keyword === 'additionalProperties') {
    const [field] = fault.params.additionalProperties;
    throw refusal('invalid_params', 'there is no such parameter', join(base, field ?? ''));
  }
  if (fault.keyword === 'required') {
    const [field] = fault.params.requiredProperties;
    throw refusal('invalid_params', 'the parameter is required', join(base, field ?? ''));
  }
  throw refusal('invalid_params', expectationOf(name, fault.message, base), base);
}

/** `/recipients/0/to` as `recipients[0].to`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .reduce((path, part) => (/^[0-9]+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** What the contract says about a parameter is better than the pattern that it broke. */
function expectationOf(name: MethodName, message: string, path: string): string {
  const properties = METHODS[name].params.properties as Record<string, { description?: string }>;
  const description = properties[path]?.description;
  return description === undefined ? message : `${message}; expected: ${description}`;
}
