import { describe, expect, it, vi } from 'vitest';
import { mailConfig } from '../../../shared/runtime/config.ts';

describe('MAIL_SENDER', () => {
  it.each([
    ['Botica <facturas@botica.example>', { name: 'Botica', address: 'facturas@botica.example' }],
    ['Farmacia Ñandú, S.A. <a@b.mx>', { name: 'Farmacia Ñandú, S.A.', address: 'a@b.mx' }],
  ])('%j has a name and an address', (written, sender) => {
    vi.stubEnv('MAIL_SENDER', written);
    expect(mailConfig().MAIL_SENDER).toEqual(sender);
  });

  it.each([
    'facturas@botica.example',
    '<facturas@botica.example>',
    'Botica facturas@botica.example',
    'Botica <facturas>',
    'Botica <a@b.mx>, Otra <c@d.mx>',
    'Botica <a@b.mx,c@d.mx>',
    'Botica\r\nBcc: c@d.mx <a@b.mx>',
    'Botica "x" <a@b.mx>',
  ])('%j is refused', (written) => {
    vi.stubEnv('MAIL_SENDER', written);
    expect(() => mailConfig()).toThrow('MAIL_SENDER is not valid');
  });
});
