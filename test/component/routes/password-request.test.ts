import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mailPasswords } from '../../../shared/access/mail-passwords.ts';
import { mail, table } from '../../../shared/deps.ts';
import { removePerson } from '../../../shared/erasure/patient-records.ts';
import { setUserState } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { useServer } from '../../support/servers/test-server.ts';

const NOON = '2026-11-21T18:00:00.000Z';
const at = (time: string) => new Date(`2026-11-21T${time}Z`);

const server = useServer({ invoices: true });
afterEach(() => setClock());

const request = (email: string, call: object = {}) =>
  server.request('POST', '/api/password/', { body: { email }, ...call });
const sendMails = (now = new Date(NOON)) => mailPasswords({ table: table(), mail, now });
const queued = () => table().all({ pk: 'PASSWORDS#REQUESTED' });

/** Returns the texts of the mails that SES got for an address. */
const mailsTo = (address: string): string[] =>
  server.ses.sent
    .filter((form) => form.get('Destinations.member.1') === address)
    .map((form) => Buffer.from(form.get('RawMessage.Data') ?? '', 'base64').toString());

describe('a new password', () => {
  it('is mailed about to a known address, which the answer does not tell', async () => {
    setClock(new Date(NOON));
    const known = await request(' PACIENTE@demo.example ');
    const unknown = await request('nadie@demo.example');
    expect([known.status, known.body]).toEqual([202, {}]);
    expect([unknown.status, unknown.body]).toEqual([202, {}]);
    expect(JSON.stringify(await queued())).not.toContain('demo.example');
    expect(server.ses.sent).toHaveLength(0);

    expect(await sendMails()).toBe(1);
    const [mailed = '', ...others] = mailsTo('paciente@demo.example');
    expect(others).toEqual([]);
    expect(mailed).toMatch(/^Subject: =\?UTF-8\?Q\?Contrase=C3=B1a_nueva/m);
    const parts = mailed.match(/^Content-Type: text\/(plain|html)/gm);
    expect(parts).toEqual(['Content-Type: text/plain', 'Content-Type: text/html']);
    const text = mailed.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect(text).toMatch(/^http:\/\/localhost:4000\/password\?token=\d+\.[\w-]{43}\r$/m);
    expect(await queued()).toEqual([]);
    expect(await sendMails()).toBe(0);
  });

  it('is mailed about three times an hour, for an address whose case does not matter', async () => {
    const spellings = ['doctora@demo.example', 'DOCTORA@demo.example', 'Doctora@demo.example', 'doctora@demo.example'];
    for (const [second, email] of spellings.entries()) {
      setClock(at(`18:00:0${second}.000`));
      expect((await request(email)).status).toBe(202);
    }
    await sendMails();
    expect(mailsTo('doctora@demo.example')).toHaveLength(3);
    setClock(at('18:59:59.999'));
    await request('doctora@demo.example');
    setClock(at('19:00:00.000'));
    await request('doctora@demo.example');
    expect(await sendMails(at('19:00:00.000'))).toBe(1);
  });

  it('is mailed about later where SES is down, for half an hour', async () => {
    const { client } = await server.addClient('Otra');
    expect(client.passwordUrl).toBeNull();
    await server.addUser(server.client, 'patient', 'tarde@demo.example');
    setClock(new Date(NOON));
    await request('tarde@demo.example');
    server.ses.mood = 'down';
    expect(await sendMails()).toBe(0);
    server.ses.mood = 'well';
    expect(await sendMails(at('18:30:00.001'))).toBe(0);
    expect([mailsTo('tarde@demo.example'), await queued()]).toEqual([[], []]);
  });

  it('is not mailed about to a disabled or an erased user', async () => {
    const gone = await server.addUser(server.client, 'patient', 'borrada@demo.example');
    const disabled = await server.addUser(server.client, 'doctor', 'cerrada@demo.example');
    setClock(new Date(NOON));
    await request(gone.email);
    await request(disabled.email);
    await removePerson(table(), gone);
    await setUserState(table(), disabled, { state: 'disabled', now: new Date(NOON) });
    expect([await sendMails(), await queued()]).toEqual([0, []]);
  });

  describe('is refused', () => {
    let key: string;
    beforeAll(async () => {
      ({ key } = await server.addClient('Sin página'));
    });

    it('for a client without a page, whether the address is known or not', async () => {
      const answer = await request('nadie@demo.example', { key });
      expect([answer.status, answer.body.code]).toEqual([409, 'password_url_missing']);
    });

    it('without an address', async () => {
      const answer = await request('paciente');
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['email']]);
    });
  });
});
