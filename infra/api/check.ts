import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '../../shared/api/routes.ts';
import { DESCRIPTION, formatJson } from './description.ts';
import { describeApi } from './document/openapi.ts';

const isCurrent = readFileSync(DESCRIPTION, 'utf8') === formatJson(describeApi(routes));
if (!isCurrent) console.error('infra/api/openapi.json: is not what the contracts say; run `npm run openapi`');
process.exit(isCurrent ? lint() : 1);

/** Runs the rules of redocly.yaml with telemetry off, and returns the exit code: OpenAPI's structure, and examples against their schemas. */
function lint(): number {
  const redocly = join(import.meta.dirname, '../../node_modules/.bin/redocly');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return spawnSync(redocly, ['lint', DESCRIPTION], { env, stdio: 'inherit' }).status ?? 1;
}
