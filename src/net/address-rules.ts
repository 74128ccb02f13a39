/** Decides which addresses tenants may make the service connect to. Pure. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Returns whether a tenant's request for `host` may connect to `address` (an IP). */
  allows(host: string, address: string): boolean;
}

/** Builds the rules. @param allow hosts and CIDRs of the operator: private addresses that tenants may still use. */
export function addressRules(allow: readonly string[]): AddressRules {
  const hosts = new Set<string>();
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  for (const entry of allow) {
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry))
      ranges.push([ipaddr.parse(entry), ipaddr.parse(entry).kind() === 'ipv4' ? 32 : 128]);
    else hosts.add(entry.toLowerCase());
  }
  return {
    allows(host, address) {
      if (hosts.has(host.toLowerCase().replace(/\.$/, ''))) return true;
      const parsed = parseAddress(address);
      if (!parsed) return false;
      if (ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))) return true;
      return isPublic(parsed);
    },
  };
}

/**
 * Returns the parsed address, or undefined if the text is no IP address. IPv4 written as IPv6 becomes IPv4. Translation
 * prefixes (NAT64, 6to4, Teredo) stay IPv6: none of them is public.
 */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/** The IPv6 addresses that are assigned to the public internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}
