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
      return parsed.range() === 'unicast' && !isSpecial(parsed);
    },
  };
}

/**
 * The address that is meant: IPv4 written as IPv6 (mapped, compatible) counts as IPv4. Undefined when it is none, or
 * when a translation prefix (NAT64, 6to4, Teredo) could lead anywhere.
 */
function embedded(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/s, '');
  if (isIP(bare) === 0) return undefined;
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv6) {
    const bytes = parsed.toByteArray();
    // ::a.b.c.d, deprecated but understood by some stacks
    if (bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12).some((byte) => byte !== 0)) {
      return new ipaddr.IPv4(bytes.slice(12));
    }
  }
  return parsed;
}

/** Ranges that ipaddr.js calls unicast and that are not the public internet. */
const SPECIAL: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [
  '192.0.0.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  'fec0::/10',
  '64:ff9b:1::/48',
  '3fff::/20',
  '5f00::/16',
].map((range) => ipaddr.parseCIDR(range));

function isSpecial(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return SPECIAL.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}
