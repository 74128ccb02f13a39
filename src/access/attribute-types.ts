/** Declared types of attributes. A policy checks its conditions against them, and an attribute of another type counts as missing. */

import { classify } from '../filters/metadata-value.ts';
import type { FilterOperator, Scalar } from '../filters/types.ts';
import { type Attributes, isSubjectRef, type Policy } from './policy.ts';

const SCALAR_TYPES = ['text', 'number', 'boolean', 'time'] as const;
export const ATTRIBUTE_TYPES = [...SCALAR_TYPES, ...SCALAR_TYPES.map((type) => `${type}[]` as const)] as const;
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];
/** Name of an attribute -> type. */
export type AttributeTypes = Readonly<Record<string, AttributeType>>;

const ORDERS: readonly FilterOperator[] = ['gt', 'gte', 'lt', 'lte'];

/** Returns whether an attribute has the type. An array type also accepts a single value. */
export function hasType(value: Attributes[string], type: AttributeType): boolean {
  const isArrayType = type.endsWith('[]');
  if (Array.isArray(value) && !isArrayType) return false;
  const wanted = isArrayType ? type.slice(0, -2) : type;
  return ([value].flat() as readonly Scalar[]).every((one) => {
    if (wanted === 'time') return typeof one === 'string' && classify(one.trim()).kind === 'time';
    return typeof one === (wanted === 'text' ? 'string' : wanted);
  });
}

/** Returns the attributes that have their declared type. Undeclared attributes are kept. */
export function attributesOfType(attributes: Attributes, types: AttributeTypes | undefined): Attributes {
  if (types === undefined) return attributes;
  const declared = new Map(Object.entries(types));
  return Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => {
      const type = declared.get(name);
      return type === undefined || hasType(value, type);
    }),
  );
}

/** A condition that can never hold with the declared types. */
export interface TypeProblem {
  path: readonly (string | number)[];
  message: string;
}

/** Returns the conditions that use an undeclared attribute, or an operator that never holds for values of its type. */
export function problemsOfTypes(policy: Policy, types: AttributeTypes, at: TypeProblem['path'] = []): TypeProblem[] {
  const declared = new Map(Object.entries(types));
  return policy.filters.flatMap((member, i): TypeProblem[] => {
    const here = [...at, 'filters', i];
    if ('filters' in member) return problemsOfTypes(member, types, here);
    const { operator, value } = member;
    if (!isSubjectRef(value)) return [];
    const type = declared.get(value.subject);
    if (type === undefined)
      return [{ path: [...here, 'value', 'subject'], message: `${value.subject} is not declared in attribute_types` }];
    const wanted = typesFor(operator);
    if (wanted.includes(type)) return [];
    const message = `${operator} needs an attribute of the type ${wanted.join(' or ')}, but ${value.subject} is ${type}`;
    return [{ path: [...here, 'operator'], message }];
  });
}

function typesFor(operator: FilterOperator): readonly AttributeType[] {
  if (ORDERS.includes(operator)) return ['number', 'time'];
  if (operator === 'contains' || operator === 'starts_with') return ['text'];
  return operator === 'in' || operator === 'nin' ? ATTRIBUTE_TYPES : SCALAR_TYPES;
}
