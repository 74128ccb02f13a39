/** Which addresses tenants may make the service connect to. Pure. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** True when a connection to `address` (an IP) for the host `host` is allowed to a tenant. */
  allows(host: string, address: string): boolean;
}

/** @param allow hosts and CIDRs of the operator: private addresses that tenants may name all the same. */
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
      const parsed = embedded(address);
      if (!parsed) return false;
      if (ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))) return true;
      return isPublic(parsed);
    },
  };
}

/**
 * The address that is meant: IPv4 written as IPv6 counts as IPv4. Undefined when it is none. Translation prefixes (NAT64,
 * 6to4, Teredo) stay what they are: none of them is public.
 */
function embedded(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/** All of IPv6 that is given out for the public internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}
