import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// `npm run lint:cloud` checks the templates of `npm run synth` with cfn-lint, which knows each region's resources.

const OUT = join(import.meta.dirname, '../../../cdk.out');
/** The regions with SES in infra/cloud/README.md, for stages whose region is that of the credentials. */
const REGIONS = ['us-east-1', 'us-east-2', 'us-west-2'];
// CDK lets each function wait for its role and the policy of it; the reference to the role says the first again.
const OPTIONS = ['--non-zero-exit-code', 'informational', '--ignore-checks', 'W3005'];

/** CDK's manifest names a stack's region as `aws://<account>/<region>`. */
type Artifact = { readonly environment?: string; readonly properties?: { readonly templateFile?: string } };
const manifest: { artifacts: Record<string, Artifact> } = JSON.parse(readFileSync(join(OUT, 'manifest.json'), 'utf8'));

for (const { environment = '', properties: { templateFile = '' } = {} } of Object.values(manifest.artifacts)) {
  if (!templateFile.endsWith('.template.json')) continue;
  const region = environment.split('/').at(-1) ?? '';
  const regions = region === 'unknown-region' ? REGIONS : [region];
  console.log(`${templateFile} in ${regions.join(', ')}`);
  const words = ['--regions', ...regions, ...OPTIONS, '--', join(OUT, templateFile)];
  const { status, error } = spawnSync('cfn-lint', words, { stdio: 'inherit' });
  if (error) throw new Error('cfn-lint is not installed: "python3 -m pip install cfn-lint".', { cause: error });
  if (status !== 0) process.exitCode = 1;
}
