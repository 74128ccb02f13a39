/** Resolves names to addresses that the caller may connect to. */
import { lookup as dnsLookup } from 'node:dns/promises';
import type { AddressRules } from './address-rules.ts';

export type Lookup = (host: string) => Promise<{ address: string }[]>;

export const systemLookup: Lookup = (host) => dnsLookup(host, { all: true, order: 'verbatim' });

export class AddressRefused extends Error {
  readonly host: string;

  constructor(host: string) {
    super(`${host} is not a public address`);
    this.name = 'AddressRefused';
    this.host = host;
  }
}

/** Returns the addresses of a host. If one of several addresses is forbidden, all are refused. @throws AddressRefused */
export async function resolveHost(
  lookup: Lookup,
  rules: AddressRules | undefined,
  hostname: string,
): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = (await lookup(host)).map(({ address }) => address);
  if (addresses.length === 0) throw new Error(`${host} has no address`);
  if (rules && !addresses.every((address) => rules.allows(host, address))) throw new AddressRefused(host);
  return addresses;
}
