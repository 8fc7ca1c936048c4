import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '../../shared/api/routes.ts';
import { findBreakingChanges, findUnrecorded } from './changes.ts';
import { type ApiDescription, DESCRIPTION, formatJson, INTENDED, RELEASED, readJson } from './description.ts';
import { describeApi } from './document/openapi.ts';

const problems = [...drift(), ...breaks()];
for (const problem of problems) console.error(`infra/api/openapi.json: ${problem}`);
if (problems.some((problem) => problem.startsWith('breaks'))) {
  console.error('A change that is meant to break clients is recorded in infra/api/intended-changes.json.');
}
process.exit(problems.length > 0 ? 1 : lint());

function drift(): string[] {
  const isCurrent = readFileSync(DESCRIPTION, 'utf8') === formatJson(describeApi(routes));
  return isCurrent ? [] : ['is not what the contracts say; run `npm run openapi`'];
}

function breaks(): string[] {
  return findUnrecorded(
    findBreakingChanges(readJson(RELEASED) as ApiDescription, readJson(DESCRIPTION) as ApiDescription),
    readJson(INTENDED),
  );
}

/** Runs the rules of redocly.yaml with telemetry off, and returns the exit code: OpenAPI's structure, and examples against their schemas. */
function lint(): number {
  const redocly = join(import.meta.dirname, '../../node_modules/.bin/redocly');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return spawnSync(redocly, ['lint', DESCRIPTION], { env, stdio: 'inherit' }).status ?? 1;
}
