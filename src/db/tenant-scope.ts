/** How a transaction becomes a tenant's: the role without rights over other rows, and the tenant the policies compare. */
import { isId } from '../util/ids.ts';

/** Neither owns a table nor bypasses row-level security; created by migrate.ts. */
export const TENANT_ROLE = 'pinakes_app';

/** To run right after BEGIN. @throws Error when `tenantId` is no id: it becomes SQL text. */
export function enterTenant(tenantId: string): string {
  return tenantCommands(tenantId).join(';');
}

/** The same, one by one. */
export function tenantCommands(tenantId: string): string[] {
  if (!isId(tenantId)) throw new Error('not a tenant id');
  return [`set local role ${TENANT_ROLE}`, `set local app.tenant='${tenantId}'`];
}
