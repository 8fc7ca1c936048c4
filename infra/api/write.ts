import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { routes } from '../../shared/api/routes.ts';
import { DESCRIPTION, formatJson, writeJson } from './description.ts';
import { describeApi } from './document/openapi.ts';

// `npm run openapi -- --record` also records the answers of the examples anew, by the description that it writes first; `--check`
// writes nothing, and lints by the rules of redocly.yaml: OpenAPI's structure, and examples against their schemas.
const { values } = parseArgs({ options: { record: { type: 'boolean' }, check: { type: 'boolean' } } });
const run = (program: string, ...words: readonly string[]) =>
  spawnSync(program, words, { stdio: 'inherit' }).status ?? 1;

if (values.check) {
  const isCurrent = readFileSync(DESCRIPTION, 'utf8') === formatJson(describeApi(routes));
  if (!isCurrent) console.error('infra/api/openapi.json: is not what the contracts say; run `npm run openapi`');
  // No request leaves the machine for a lint.
  process.env.REDOCLY_SUPPRESS_UPDATE_NOTICE = 'true';
  const failed = isCurrent ? run('redocly', 'lint', DESCRIPTION) : 1;
  if (isCurrent && failed)
    console.error('If an example is not of its schema, `npm run openapi -- --record` records it anew');
  process.exit(failed);
}
writeJson(DESCRIPTION, describeApi(routes));
if (values.record) {
  if (run('node', 'test/contract/record-examples.ts') !== 0) process.exit(1);
  run('node', import.meta.filename);
}
