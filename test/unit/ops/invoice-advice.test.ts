import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adviseInvoice, explainReason, INVOICE_ADVICE } from '../../../infra/ops/invoices/advice.ts';
import { INVOICE_ACTIONS } from '../../../shared/domain/invoices/tax-document.ts';

const NOTHING = ['Nada', 'Nothing'];

describe('the advice on an invoice', () => {
  it.each([
    ['mail_due', ['resend'], NOTHING],
    ['requested', [], NOTHING],
    ['retrying', ['issue'], NOTHING],
    ['cancelling', [], NOTHING],
    ['not_issued', ['issue', 'handled'], ['Corrija', 'Correct']],
    ['total_differs', ['replace', 'handled'], ['Sustitúyala', 'Replace']],
    ['form_differs', ['replace', 'handled'], ['Sustitúyala', 'Replace']],
    ['cancellation_rejected', ['cancel', 'handled'], ['Hable', 'Talk']],
    ['pue_unpaid', ['replace', 'handled'], ['Sustitúyala', 'Replace']],
    ['complement_due', ['handled'], NOTHING],
    ['mail_unconfirmed', ['resend', 'handled'], ['Envíelo', 'Send']],
    ['mail_given_up', ['resend', 'handled'], ['Revise', 'Check']],
    ['cancellation_pending', [], NOTHING],
    ['awaiting_payment', ['resend'], ['Registre', 'Record']],
    ['issued', ['resend'], NOTHING],
    ['refused', ['issue'], NOTHING],
    ['cancelled', [], NOTHING],
  ] as const)('of %s names the commands %j and begins with %j', (status, commands, begin) => {
    const [advice] = adviseInvoice(status, []);
    expect(advice).toMatchObject({ status, commands });
    const { remedy } = INVOICE_ADVICE[status];
    expect([remedy.es.split(/[ :;.]/)[0], remedy.en.split(/[ :;.]/)[0]]).toEqual(begin);
  });

  it('is on the open actions where there are some, whatever the status is', () => {
    expect(adviseInvoice('retrying', ['pue_unpaid', 'mail_given_up']).map(({ status }) => status)).toEqual([
      'pue_unpaid',
      'mail_given_up',
    ]);
  });

  it('stands in the guide of operators as it is', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../../infra/ops/README.md'), 'utf8');
    for (const action of INVOICE_ACTIONS) {
      const { meaning, remedy, commands } = INVOICE_ADVICE[action];
      const named = commands.map((command) => `\`${command}\``).join(', ');
      expect(guide).toContain(`\n| \`${action}\` | ${meaning.en} | ${remedy.en} | ${named} |\n`);
    }
  });
});

describe('the reason of an invoice', () => {
  it('has words in both languages, and is its code where nobody has written them', () => {
    const words = { es: 'El receptor rechazó la cancelación.', en: 'The receiver rejected the cancellation.' };
    expect(explainReason('rejected')).toEqual(words);
    expect(explainReason('a_new_code')).toEqual({ es: 'a_new_code', en: 'a_new_code' });
    expect(explainReason(null)).toBe(null);
  });
});
