import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { routes } from '../../shared/api/routes.ts';
import { findBreakingChanges, findUnrecorded } from './changes.ts';
import { type ApiDescription, DESCRIPTION, formatJson, INTENDED, RELEASED, readJson } from './description.ts';
import { describeApi } from './document/openapi.ts';
import { findWrongValues } from './values.ts';

const problems = [...drift(), ...(await invalidity()), ...breaks()];
for (const problem of problems) console.error(`infra/api/openapi.json: ${problem}`);
if (problems.some((problem) => problem.startsWith('breaks'))) {
  console.error('A change that is meant to break clients is recorded in infra/api/intended-changes.json.');
}
process.exit(problems.length > 0 ? 1 : lint());

function drift(): string[] {
  const isCurrent = readFileSync(DESCRIPTION, 'utf8') === formatJson(describeApi(routes));
  return isCurrent ? [] : ['is not what the contracts say; run `npm run openapi`'];
}

/** Checks the document against the schema of OpenAPI 3.1, and each default and example in it against its own schema. */
async function invalidity(): Promise<string[]> {
  const { valid, errors } = await new Validator().validate(DESCRIPTION);
  const refused = findWrongValues(readJson(DESCRIPTION) as object).map((line) => `has a wrong value: ${line}`);
  return valid ? refused : [`is not valid OpenAPI: ${JSON.stringify(errors)}`];
}

function breaks(): string[] {
  return findUnrecorded(
    findBreakingChanges(readJson(RELEASED) as ApiDescription, readJson(DESCRIPTION) as ApiDescription),
    readJson(INTENDED),
  );
}

/** Runs Redocly's recommended rules with its telemetry off, and returns its exit code. */
function lint(): number {
  const redocly = join(import.meta.dirname, '../../node_modules/.bin/redocly');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return spawnSync(redocly, ['lint', DESCRIPTION], { env, stdio: 'inherit' }).status ?? 1;
}
