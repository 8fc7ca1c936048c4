import * as z from 'zod';
import { setting } from '../command.ts';
import { askAws } from '../target/signed-request.ts';
import type { Check } from './check.ts';

const NOT_LOCALLY = 'The local mailbox takes mail from anybody.';

const identity = z.object({ VerifiedForSendingStatus: z.boolean().default(false) });
const account = z.object({
  SendingEnabled: z.boolean().default(false),
  ProductionAccessEnabled: z.boolean().default(false),
});

// Only version 2 of the API tells whether an account is in the sandbox.
const ask = (path: string): Promise<unknown> =>
  askAws({ host: 'email', service: 'ses', endpointVariable: 'AWS_ENDPOINT_URL_SESV2', path: `/v2/email/${path}` });

export const mailChecks = (): Check[] => [
  {
    name: 'mail sender',
    needs: ['SES_IDENTITY'],
    notLocally: NOT_LOCALLY,
    remedy: 'Open the link that SES has mailed to the address, or put its DKIM records into the DNS of the domain.',
    look: async () => {
      const name = setting('SES_IDENTITY');
      const { VerifiedForSendingStatus } = identity.parse(await ask(`identities/${encodeURIComponent(name)}`));
      return VerifiedForSendingStatus ? { ok: `${name} is verified` } : { failed: `${name} is not verified yet.` };
    },
  },
  {
    name: 'mail sending',
    needs: [],
    notLocally: NOT_LOCALLY,
    remedy: 'Ask for production access in the SES console, or resolve the reason for which sending was paused.',
    look: async () => {
      const { SendingEnabled, ProductionAccessEnabled } = account.parse(await ask('account'));
      if (!SendingEnabled) return { failed: 'SES has paused sending.' };
      if (!ProductionAccessEnabled)
        return { failed: 'The account is in the sandbox: mail reaches verified addresses only.' };
      return { ok: 'enabled, out of the sandbox' };
    },
  },
];
