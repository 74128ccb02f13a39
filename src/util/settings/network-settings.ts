/** Settings of addresses: where tenants may connect to, and which proxies stand in front of the service. */
import ipaddr from 'ipaddr.js';
import { ConfigError, type SettingsReader, show } from './settings-reader.ts';

const HOST = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/** Returns private hosts and CIDRs that addresses from tenants may reach. */
export function readOutboundAllow(read: SettingsReader): string[] {
  const name = 'PINAKES_OUTBOUND_ALLOW';
  const entries = readList(read, name);
  const wrong = entries.find((entry) => !HOST.test(entry) && !isAddress(entry));
  if (wrong === undefined) return entries;
  const message = `has an entry that is neither a host nor a CIDR: ${show(wrong)}`;
  throw new ConfigError(name, message, 'wiki.example.internal,10.1.0.0/16');
}

/** Returns addresses and CIDRs of proxies. */
export function readTrustedProxies(read: SettingsReader): string[] {
  const name = 'PINAKES_TRUSTED_PROXIES';
  const entries = readList(read, name);
  // Believing everybody would be believing the browser: its header would choose the address that is counted.
  const wrong = entries.find((entry) => !isAddress(entry) || /\/0+$/.test(entry));
  if (wrong === undefined) return entries;
  const message = `has an entry that is neither an address nor a CIDR: ${show(wrong)}`;
  throw new ConfigError(name, message, '127.0.0.1,10.1.0.0/16');
}

function readList(read: SettingsReader, name: string): string[] {
  const entries = read.text(name, '').split(',');
  return entries.map((entry) => entry.trim().toLowerCase()).filter((entry) => entry !== '');
}

function isAddress(entry: string): boolean {
  const [address = ''] = entry.split('/');
  const isWhole = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isWhole && (ipaddr.isValidCIDR(entry) || ipaddr.isValid(entry));
}
