import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `public`: addresses of the internet, by https. `loopback`: this machine too, by http as well, on the local server. */
export type Reach = 'public' | 'loopback';

const LONGEST_URL = 2_048;

/** The reason why an event is not sent to an address. */
export type UrlFault = 'not_a_url' | 'url_too_long' | 'not_https' | 'url_with_credentials' | 'address_not_public';

/** Returns why events are not sent to a URL, by its text alone: what its name stands for is checked at each connection. */
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

/** Returns the name or address of a URL, an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** True for an address to which a connection may be opened. */
export const isAllowedAddress = (address: string, reach: Reach): boolean =>
  isPublicAddress(address) ||
  (reach === 'loopback' && isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback');

// IANA has given out global unicast addresses of IPv6 from here only; the library calls those outside `unicast` as well.
const GLOBAL_IPV6 = '2000::/3';

/**
 * True for an IP address of the public internet that belongs to one host. False for everything else: those that stand for
 * others (mapped, 6to4, NAT64, Teredo), those with a zone, and names.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR(GLOBAL_IPV6));
}
