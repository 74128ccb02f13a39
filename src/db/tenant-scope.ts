/** Commands that make a transaction a tenant's: the role without rights on other rows, and the tenant for the policies. */
import { isId } from '../util/ids.ts';

/** The role owns no table and does not bypass row-level security. migrate.ts creates it. */
export const TENANT_ROLE = 'pinakes_app';

/** Returns the commands to run right after BEGIN, as one text. @throws Error when `tenantId` is no id, because it becomes SQL text. */
export function enterTenant(tenantId: string): string {
  if (!isId(tenantId)) throw new Error('not a tenant id');
  return `set local role ${TENANT_ROLE};set local app.tenant='${tenantId}'`;
}
