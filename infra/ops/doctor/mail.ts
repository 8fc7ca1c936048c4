import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { once } from '../../../shared/runtime/async.ts';
import { setting } from '../command.ts';
import { askAws } from '../target/signed-request.ts';
import { type Asked, type Check, type Finding, isProduction, REMEDIES } from './check.ts';
import { checkSubscriptions, SUBSCRIBE } from './subscriptions.ts';

const identity = z.object({ VerifiedForSendingStatus: z.boolean().default(false) });
const account = z.object({
  SendingEnabled: z.boolean().default(false),
  ProductionAccessEnabled: z.boolean().default(false),
  EnforcementStatus: z.string().default(''),
});
const configurationSet = z.object({
  SendingOptions: z.object({ SendingEnabled: z.boolean().default(true) }).prefault({}),
});
const destinations = z.object({
  EventDestinations: z
    .array(
      z.object({
        Enabled: z.boolean().default(false),
        MatchingEventTypes: z.array(z.string()),
        SnsDestination: z.object({ TopicArn: z.string() }).optional(),
      }),
    )
    .default([]),
});

const region = (): string => process.env.MAIL_REGION ?? setting('AWS_REGION');

type Ask = (path: string) => Promise<unknown>;

const PAUSE_MS = 1_000;
const pauseASecond = () => setTimeout(PAUSE_MS);
const TRIES = 8;
const LIMIT_MS = 60_000;

/**
 * Returns a function that asks SES one question after the other, and again when it is asked too fast: SES answers some
 * calls once a second (API reference of GetSendQuota). Only version 2 of the API tells whether an account is in the sandbox.
 */
function openSes(pause: () => Promise<unknown>): Ask {
  const api = { host: 'email', service: 'ses', endpointVariable: 'AWS_ENDPOINT_URL_SESV2' };
  const ask = async (path: string, tries = TRIES): Promise<unknown> => {
    try {
      return await askAws({ ...api, region: region(), path: `/v2/email/${path}` });
    } catch (error) {
      if (tries === 1 || !(error instanceof Error && error.message.includes(' 429'))) throw error;
      await pause();
      return ask(path, tries - 1);
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return (path) => {
    const asked = last.then(() => ask(path));
    last = asked.catch(() => undefined);
    return asked;
  };
}

/** The checks of the sender. `pause` is that after a call too many. */
export function mailChecks(_?: Asked, pause = pauseASecond): Check[] {
  const ask = openSes(pause);
  const asked = once(async () => account.parse(await ask('account')));
  const topics = once(() => listNoticeTopics(ask));
  const checks: Omit<Check, 'notLocally'>[] = [
    {
      name: 'mail sender',
      needs: ['SES_IDENTITY'],
      remedy: 'Open the link that SES has mailed to the address, or put its DKIM records into the DNS of the domain.',
      look: async () => {
        const name = setting('SES_IDENTITY');
        const { VerifiedForSendingStatus } = identity.parse(await ask(`identities/${encodeURIComponent(name)}`));
        if (VerifiedForSendingStatus) return { ok: `${name} is verified in ${region()}` };
        return { failed: `${name} is not verified in ${region()} yet.` };
      },
    },
    {
      name: 'mail sending',
      needs: [],
      remedy: 'The SES console and the mails of AWS to the owner of the account name the reason: resolve it.',
      look: async () => checkSending(await asked()),
    },
    {
      name: 'mail sandbox',
      needs: ['PURPOSE'],
      remedy: 'Ask for production access in the SES console of that region.',
      look: async () => checkSandbox(await asked()),
    },
    {
      name: 'mail rules',
      needs: ['MAIL_CONFIGURATION_SET'],
      remedy: REMEDIES.deployAgain,
      look: () => checkRules(ask, topics),
    },
    {
      name: 'mail subscriptions',
      needs: ['MAIL_CONFIGURATION_SET'],
      remedy: SUBSCRIBE,
      look: async () => checkSubscriptions([...(await topics()).values()]),
    },
  ];
  const limits = { notLocally: 'The local mailbox takes mail from anybody.', limitMs: LIMIT_MS };
  return checks.map((check) => ({ ...check, ...limits }));
}

type Account = z.infer<typeof account>;

function checkSending({ SendingEnabled, EnforcementStatus }: Account): Finding {
  if (EnforcementStatus === 'SHUTDOWN') return { failed: 'SES has stopped the account for its reputation.' };
  if (!SendingEnabled) return { failed: `SES has paused sending in ${region()}.` };
  if (EnforcementStatus === 'PROBATION') return { warning: 'SES reviews the account for its reputation.' };
  return { ok: `on in ${region()}` };
}

function checkSandbox({ ProductionAccessEnabled }: Account): Finding {
  if (ProductionAccessEnabled) return { ok: `the account is out of it in ${region()}` };
  const found = `The account is in the sandbox in ${region()}: mail reaches verified addresses only.`;
  return isProduction() ? { failed: found } : { warning: found };
}

async function checkRules(ask: Ask, topics: () => Promise<ReadonlyMap<string, string>>): Promise<Finding> {
  const name = setting('MAIL_CONFIGURATION_SET');
  const set = await ask(configurationSetPath());
  if (!configurationSet.parse(set).SendingOptions.SendingEnabled)
    return { failed: `The configuration set ${name} does not send.` };
  const published = await topics();
  const isPublished = NOTICES.every((type) => published.has(type));
  if (!isPublished) return { failed: `Bounces and complaints of ${name} are published to no topic.` };
  return { ok: 'bounces and complaints are published' };
}

const NOTICES = ['BOUNCE', 'COMPLAINT'];
const configurationSetPath = () => `configuration-sets/${encodeURIComponent(setting('MAIL_CONFIGURATION_SET'))}`;

/** Returns the topics to which SES publishes, by the type of event. */
async function listNoticeTopics(ask: Ask): Promise<Map<string, string>> {
  const { EventDestinations } = destinations.parse(await ask(`${configurationSetPath()}/event-destinations`));
  const topics = new Map<string, string>();
  for (const { Enabled, SnsDestination, MatchingEventTypes } of EventDestinations) {
    if (Enabled && SnsDestination) for (const type of MatchingEventTypes) topics.set(type, SnsDestination.TopicArn);
  }
  return topics;
}
