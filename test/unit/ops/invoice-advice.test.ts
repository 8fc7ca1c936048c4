import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INVOICE_ACTIONS } from '../../../shared/invoices/rules/document-values.ts';
import { adviseInvoice, explainReason, INVOICE_ADVICE } from '../../../shared/invoices/rules/invoice-advice.ts';

describe('the advice on an invoice', () => {
  // The guide has the statuses that wait for a person.
  it.each([
    ['mail_due', ['resend'], 'Nada: un proceso lo envía.'],
    ['requested', [], 'Nada: un proceso lo averigua cada cinco minutos.'],
    ['retrying', ['issue'], 'Nada; o emítala de una vez.'],
    ['cancelling', [], 'Nada: un proceso la pide.'],
    ['cancellation_pending', [], 'Nada; o recuérdele que la acepte en su buzón tributario.'],
    ['awaiting_payment', ['resend'], 'Registre el pago en cuanto se haga.'],
    ['issued', ['resend'], 'Nada.'],
    ['refused', ['issue'], 'Nada.'],
    ['cancelled', [], 'Nada.'],
  ] as const)('of %s names the commands %j and says: %s', (status, commands, es) => {
    expect(adviseInvoice(status, [])).toMatchObject([{ status, commands, remedy: { es } }]);
  });

  it('is on the open actions where there are some, whatever the status is', () => {
    const advised = adviseInvoice('retrying', ['pue_unpaid', 'mail_given_up']);
    expect(advised.map(({ status }) => status)).toEqual(['pue_unpaid', 'mail_given_up']);
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
