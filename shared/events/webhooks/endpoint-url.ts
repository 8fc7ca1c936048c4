import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `public`: internet addresses by https. `loopback`: also this machine, by http too, for the local server. */
export type Reach = 'public' | 'loopback';

const LONGEST_URL = 2_048;

export type UrlFault = 'not_a_url' | 'url_too_long' | 'not_https' | 'url_with_credentials' | 'address_not_public';

/** Checks a URL's text only; the addresses of its name are checked at each connection. */
export function findUrlFault(written: string, reach: Reach): UrlFault | undefined {
  if (written.length > LONGEST_URL) return 'url_too_long';
  if (!URL.canParse(written)) return 'not_a_url';
  const url = new URL(written);
  if (url.username !== '' || url.password !== '') return 'url_with_credentials';
  const host = hostOf(url);
  const isLocal = reach === 'loopback' && (host === 'localhost' || isAllowedAddress(host, 'loopback'));
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) return 'not_https';
  return isIP(host) !== 0 && !isAllowedAddress(host, reach) ? 'address_not_public' : undefined;
}

/** Returns a URL's host, an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

export const isAllowedAddress = (address: string, reach: Reach): boolean =>
  isPublicAddress(address) ||
  (reach === 'loopback' && isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback');

// IANA has assigned global unicast IPv6 addresses only here; the library also calls others `unicast`.
const GLOBAL_IPV6 = '2000::/3';

/** True for a public address of one host; false for mapped, 6to4, NAT64, Teredo and scoped addresses, and for names. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR(GLOBAL_IPV6));
}
