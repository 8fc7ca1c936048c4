import { BlockList, isIP } from 'node:net';

// IANA, IPv4 Special-Purpose Address Registry, with multicast and the blocks of relays that nobody should be reached by.
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
// IANA has given out global unicast addresses from here only; what lies outside (mapped, NAT64, unique local, link-local,
// multicast, loopback) is refused by that.
const GLOBAL_IPV6 = '2000::/3';
// IANA, IPv6 Special-Purpose Address Registry, inside of it: protocol assignments with Teredo and ORCHID, documentation, 6to4.
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const blocks = (family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', prefix] = range.split('/');
    list.addSubnet(net, Number(prefix), family);
  }
  return list;
};

const specialIpv4 = /* @__PURE__ */ blocks('ipv4', SPECIAL_IPV4);
const globalIpv6 = /* @__PURE__ */ blocks('ipv6', [GLOBAL_IPV6]);
const specialIpv6 = /* @__PURE__ */ blocks('ipv6', SPECIAL_IPV6);

/** True for an IP address of the public internet that belongs to one host. False for everything else, names included. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !specialIpv4.check(address, 'ipv4');
  // An address with a zone is one of a local link.
  if (family !== 6 || address.includes('%')) return false;
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

const loopback = /* @__PURE__ */ new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True for an address of this machine itself. */
export const isLoopback = (address: string): boolean => loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
