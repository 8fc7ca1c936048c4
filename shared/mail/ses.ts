import { SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';

const CONNECTION_MS = 1_000;

export type RawMail = {
  readonly raw: Uint8Array;
  readonly from: string;
  /** The one receiver, before all that the headers of the message name. */
  readonly to: string;
  readonly configurationSet: string | undefined;
};

/** SES as a function that sends once: answers the message id, or throws what the SDK throws. */
export function openSes(): (mail: RawMail, abortSignal: AbortSignal) => Promise<string | undefined> {
  const ses = new SESClient({
    // A second try after a lost reply would be a second mail.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      // A connection kept while the function is frozen may be dead, and a mail sent on it would be of unknown outcome.
      httpsAgent: { keepAlive: false },
      httpAgent: { keepAlive: false },
    },
  });
  return async ({ raw, from, to, configurationSet }, abortSignal) => {
    const command = new SendRawEmailCommand({
      RawMessage: { Data: raw },
      Source: from,
      Destinations: [to],
      ConfigurationSetName: configurationSet,
    });
    return (await ses.send(command, { abortSignal })).MessageId;
  };
}
