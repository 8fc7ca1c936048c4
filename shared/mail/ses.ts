import { SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';

const CONNECTION_MS = 1_000;

export type RawMail = {
  readonly raw: Uint8Array;
  readonly from: string;
  /** The only recipient; those in the headers are ignored. */
  readonly to: string;
  readonly configurationSet: string | undefined;
};

/** Returns a function that sends a mail once and resolves with its message id, or throws the SDK's error. */
export function openSesSender(
  region: string | undefined,
): (mail: RawMail, abortSignal: AbortSignal) => Promise<string | undefined> {
  const ses = new SESClient({
    ...(region && { region }),
    // A retry after a lost reply would send the mail twice.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      // A connection opened before the function was frozen may be dead, and a mail sent on it has an unknown outcome.
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
