import { describe, expect, it } from 'vitest';
import { findUrlFault, isPublicAddress } from '../../../../shared/events/webhooks/send.ts';

describe('a public address', () => {
  it.each([
    ...['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.1', '192.167.1.1'],
    ...['2606:4700:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2001:200::1', '2c0f:fb50::1'],
  ])('%s is one', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ['of this machine', ['0.0.0.0', '127.0.0.1', '127.255.255.254', '::', '::1']],
    ['of a private network', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00:ec2::254']],
    ['of a carrier', ['100.64.0.1']],
    ['of a link or a site', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', '2606:4700:4700::1111%eth0']],
    ['for many', ['224.0.0.1', '255.255.255.255', 'ff02::1']],
    ['for examples and measurements', ['192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1']],
    ['for examples of IPv6', ['2001:db8::1', '3fff::1']],
    ['for protocols', ['192.0.0.8', '192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1', '2620:4f:8000::1']],
    ['of nobody yet', ['240.0.0.1', '4000::1', '5f00::1', '100::1', '2001:1ff::1']],
    ['of IPv4 in IPv6', ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::7f00:1']],
    ['of a translator or a tunnel', ['64:ff9b::7f00:1', '64:ff9b:1::1', '2001::1', '2002:7f00:1::']],
    ['in no form of one', ['localhost', 'example.com', '1.1', '16843009', '0x1.1.1.1', '']],
  ])('is none %s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

describe('the URL of an endpoint', () => {
  it.each([
    'https://shop.example/hooks',
    'https://shop.example:8443/hooks?token=1',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
  ])('%s is good', (url) => expect(findUrlFault(url, 'public')).toBeUndefined());

  it.each([
    ['shop.example', 'not_a_url'],
    ['http://shop.example/', 'not_https'],
    ['ftp://shop.example/', 'not_https'],
    ['file:///etc/passwd', 'not_https'],
    ['https://ana:clave@shop.example/', 'url_with_credentials'],
    ['https://ana@shop.example/', 'url_with_credentials'],
    ['https://127.0.0.1/', 'address_not_public'],
    ['https://127.1/', 'address_not_public'],
    ['https://2130706433/', 'address_not_public'],
    ['https://0x7f000001/', 'address_not_public'],
    ['https://0177.0.0.1/', 'address_not_public'],
    ['https://[::1]/', 'address_not_public'],
    ['https://[::ffff:10.0.0.1]/', 'address_not_public'],
    [`https://shop.example/${'a'.repeat(2_028)}`, 'url_too_long'],
  ])('%s is bad: %s', (url, fault) => expect(findUrlFault(url, 'public')).toBe(fault));

  it('is one of this machine on the local server only, also by http, and no other private one', () => {
    for (const url of ['http://localhost:4000/', 'http://127.0.0.1:4000/', 'https://[::1]/']) {
      expect(findUrlFault(url, 'loopback')).toBeUndefined();
    }
    expect(findUrlFault('http://localhost:4000/', 'public')).toBe('not_https');
    expect(findUrlFault('http://10.0.0.1/', 'loopback')).toBe('not_https');
    expect(findUrlFault('https://10.0.0.1/', 'loopback')).toBe('address_not_public');
    expect(findUrlFault('http://shop.example/', 'loopback')).toBe('not_https');
  });
});
