import { connect } from 'node:tls';
import { APIGatewayClient, GetDomainNameCommand } from '@aws-sdk/client-api-gateway';
import { now } from '../../../../shared/runtime/clock.ts';
import { setting } from '../../command.ts';
import { CLIENT_LIMITS, type Finding, type StackCheck } from '../check.ts';
import type { StackResources } from './resources.ts';

const NONE: Finding = { skipped: 'The API has no domain of its own (`domain`).' };
const DAY_MS = 24 * 60 * 60 * 1_000;

// ACM tells of a certificate that was not renewed from 45 days before its end on (ACM's guide, "Supported events").
const WARNING_DAYS = 21;
const TIMEOUT_MS = 5_000;
const HTTPS_PORT = 443;

/** The checks of the API's own domain name; `API` tells whether it leads to the API. */
export function domainChecks(resources: () => Promise<StackResources>): StackCheck[] {
  const findDomain = async () => (await resources()).get('AWS::ApiGateway::DomainName')?.[0];
  return [
    {
      name: 'domain',
      remedy: 'Its page in the API Gateway console says what it waits for.',
      look: async () => {
        const domainName = await findDomain();
        return domainName ? checkStatus(domainName) : NONE;
      },
    },
    {
      name: 'domain certificate',
      needs: ['API_URL'],
      remedy:
        'Look at it in the ACM console: one that AWS issued is renewed while the DNS has its CNAME record, an imported one by you.',
      look: async () => ((await findDomain()) ? checkEnd(await readCertificateEnd(new URL(setting('API_URL')))) : NONE),
    },
  ];
}

async function checkStatus(domainName: string): Promise<Finding> {
  const answer = await new APIGatewayClient(CLIENT_LIMITS).send(new GetDomainNameCommand({ domainName }));
  const { domainNameStatus: status, domainNameStatusMessage: message = '' } = answer;
  if (status === 'AVAILABLE') return { ok: domainName };
  const finding = `${domainName} is ${status}. ${message}`.trim();
  return status === 'UPDATING' ? { warning: finding } : { failed: finding };
}

/** Returns when the certificate ends that a host shows. Throws if it is not valid for the host. */
function readCertificateEnd({ hostname: host, port }: URL): Promise<Date> {
  const { promise, resolve, reject } = Promise.withResolvers<Date>();
  const socket = connect({ host, port: Number(port) || HTTPS_PORT, servername: host, timeout: TIMEOUT_MS });
  socket.once('secureConnect', () => resolve(new Date(socket.getPeerCertificate().valid_to)));
  socket.once('timeout', () => reject(new Error(`${host} does not answer.`)));
  socket.once('error', reject);
  return promise.finally(() => socket.destroy());
}

function checkEnd(end: Date): Finding {
  const days = Math.floor((end.getTime() - now().getTime()) / DAY_MS);
  const finding = `It ends on ${end.toISOString().slice(0, 10)}`;
  if (days < WARNING_DAYS) return { warning: `${finding}, and was not renewed.` };
  return { ok: `until ${end.toISOString().slice(0, 10)}` };
}
