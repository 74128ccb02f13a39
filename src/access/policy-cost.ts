/** The estimated work of a policy in the database, for a principal. */
import { addCondition, type FilterCost } from '../filters/filter-cost.ts';
import { type Attributes, isOnChunk, isUntrusted, operandOf, type Policy } from './policy.ts';

/** Each condition reads and trims its value again, and a search tests most rows about four times. Measured on the embedded engine. */
const VALUE_BYTE_NS = 15;

export interface PolicyCost {
  /** For the sources of the tenant. */
  source: FilterCost;
  /** For their chunks. */
  chunk: FilterCost;
}

/** Returns the cost of the conditions on metadata. Conditions on tags and source groups read short names. */
export function policyCost(policy: Policy, attributes: Attributes): PolicyCost {
  const cost = {
    source: { fixedNs: 0, rowNs: 0, byteNs: 0 },
    chunk: { fixedNs: 0, rowNs: 0, byteNs: 0 },
  };
  const add = (group: Policy): void => {
    for (const member of group.filters) {
      if ('filters' in member) {
        add(member);
        continue;
      }
      const operand = operandOf(member, attributes);
      if (operand === null || isUntrusted(member) || member.target === 'tag' || member.target === 'source_group')
        continue;
      const side = isOnChunk(member) ? cost.chunk : cost.source;
      addCondition(side, { key: member.key, operator: member.operator, ...operand });
      side.byteNs += VALUE_BYTE_NS;
    }
  };
  add(policy);
  return cost;
}
