import { DOCS_PATH } from './docs.ts';
import { DEMO_API_KEY, DEMO_PASSWORD, DEMO_USERS } from './seed.ts';

/** Returns the text that is printed once the server is ready; its last line is for scripts that wait for it. */
export function welcome(url: string): string {
  const call = `curl -H 'X-API-Key: ${DEMO_API_KEY}'`;
  const post = `${call} -H 'Content-Type: application/json'`;
  const patient = JSON.stringify({ email: DEMO_USERS[0].email, password: DEMO_PASSWORD });
  const basket = JSON.stringify({ zipcode: '06700', details: [{ product: 1, quantity: 2 }] });
  return `
API key   ${DEMO_API_KEY} (header X-API-Key)
Users     ${DEMO_USERS.map(({ email, role }) => `${email} (${role})`).join('\n          ')}
          password of each: ${DEMO_PASSWORD}
Reference ${new URL(DOCS_PATH, url)}/
Mailbox   ${process.env.AWS_ENDPOINT_URL_SES}/

${call} '${url}/api/products/?search=paracetamol&limit=3'
${post} -d '${basket}' ${url}/api/orders/calculate/
${post} -d '${patient}' ${url}/api/token/

ready ${url}`;
}
