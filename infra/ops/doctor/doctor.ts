import * as z from 'zod';
import { type Command, command } from '../command.ts';
import { emailAddress, flag } from '../input.ts';

const doctor = command({
  name: 'doctor',
  summary: 'Check an installation, and say what to do about everything that is missing',
  example: '--outputs .local/demo.json',
  input: z.object({
    key: flag.describe(
      'ask for the API key of a client, or read it from stdin or DOCTOR_API_KEY, and try a page of products and a quote with it',
    ),
    email: emailAddress
      .optional()
      .describe('ask for the password of this user as well, or take DOCTOR_PASSWORD, and log in'),
  }),
  async run(access, context) {
    // Loaded late, since no other command needs the clients of so many services.
    const { examine } = await import('./examine.ts');
    return examine(access, context);
  },
});

export const doctorCommands: readonly Command[] = [doctor];
