import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { routes } from '../../shared/api/routes.ts';
import { breakingChanges } from './changes/breaking-changes.ts';
import { unsettled } from './changes/intended.ts';
import { describeApi } from './document/openapi.ts';
import { DESCRIPTION, INTENDED, RELEASED, readJson, textOf } from './files.ts';

type Api = Parameters<typeof breakingChanges>[0];

const faults = [...drift(), ...(await invalidity()), ...breaks()];
for (const fault of faults) console.error(`infra/api/openapi.json: ${fault}`);
if (faults.some((fault) => fault.startsWith('breaks'))) {
  console.error('A change that is meant to break clients is recorded in infra/api/intended-changes.json.');
}
process.exit(faults.length > 0 ? 1 : lint());

function drift(): string[] {
  const isCurrent = readFileSync(DESCRIPTION, 'utf8') === textOf(describeApi(routes));
  return isCurrent ? [] : ['is not what the contracts say; run `npm run openapi`'];
}

async function invalidity(): Promise<string[]> {
  const { valid, errors } = await new Validator().validate(DESCRIPTION);
  return valid ? [] : [`is not valid OpenAPI: ${JSON.stringify(errors)}`];
}

function breaks(): string[] {
  return unsettled(breakingChanges(readJson(RELEASED) as Api, readJson(DESCRIPTION) as Api), readJson(INTENDED));
}

/** Redocly's recommended rules, without a word to its makers. */
function lint(): number {
  const redocly = join(import.meta.dirname, '../../node_modules/.bin/redocly');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return spawnSync(redocly, ['lint', DESCRIPTION], { env, stdio: 'inherit' }).status ?? 1;
}
