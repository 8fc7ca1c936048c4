import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enterOutputs } from '../../infra/ops/target.ts';
import * as configuration from '../../shared/runtime/config.ts';
import { HOSTED, PRODUCTION, stackTemplate } from '../support/rights/stack-template.ts';

const ACCENTED = {
  sender: { name: 'Farmacia Núñez — 100 % “tuya”', address: 'facturas@nunez.example', identity: 'address' },
  issuer: { legalName: 'FARMACIA NÚÑEZ & CÍA', rfc: 'ÑUÑ010203AB1', fiscalRegime: '601', zipcode: '06700' },
};

/** Returns the outputs of the template as `cdk deploy --outputs-file` writes them, with ids in place of references. */
function outputsOf(changes: object): Record<string, string> {
  const outputs = Object.entries(stackTemplate({ ...ACCENTED, ...changes }).findOutputs('*'));
  return Object.fromEntries(
    outputs.map(([name, { Value }]) => [name, typeof Value === 'string' ? Value : `id of ${name}`]),
  );
}

/** Returns what the outputs make of an environment without variables; it is that of this process until the test ends. */
function entered(content: string): NodeJS.ProcessEnv {
  const former = { ...process.env };
  const folder = mkdtempSync(join(tmpdir(), 'outputs-'));
  // Another object in its place would not turn what other tests set into text.
  const clear = () => {
    for (const name of Object.keys(process.env)) delete process.env[name];
  };
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
    clear();
    Object.assign(process.env, former);
  });
  const file = join(folder, 'outputs.json');
  writeFileSync(file, content);
  clear();
  enterOutputs(file);
  return { ...process.env };
}

/** Returns the variables that a group of the configuration requires and that are not set. */
function unsetIn(readGroup: () => unknown): readonly string[] {
  try {
    readGroup();
    return [];
  } catch (error) {
    if (error instanceof configuration.UnsetVariables) return error.names;
    throw error;
  }
}

describe('the outputs of a stack', () => {
  const outputs = outputsOf({});

  it('are ASCII, since CloudFormation answers a question mark for any other letter', () => {
    for (const [name, value] of Object.entries(outputs)) expect(value, name).toMatch(/^[\x20-\x7e]*$/);
    expect(outputs.IssuerLegalName).toBe('FARMACIA N%C3%9A%C3%91EZ & C%C3%8DA');
  });

  it('come back to the operator’s commands as the settings have them', () => {
    expect(entered(JSON.stringify({ Pharmacy: outputs }))).toMatchObject({
      MAIL_SENDER: 'Farmacia Núñez — 100 % “tuya” <facturas@nunez.example>',
      ISSUER_LEGAL_NAME: 'FARMACIA NÚÑEZ & CÍA',
      ISSUER_RFC: 'ÑUÑ010203AB1',
      BUSINESS_TIME_ZONE: 'America/Mexico_City',
      PRESCRIPTION_MAXIMUM_AGE_DAYS: '180',
      TABLE_NAME: 'id of TableName',
    });
  });

  it('have in production whatever a group of the configuration requires of a command', () => {
    const Pharmacy = { ...outputsOf({ ...PRODUCTION, ...HOSTED }), ImageBaseUrl: 'https://images.sol.example/' };
    expect(entered(JSON.stringify({ Pharmacy }))).toMatchObject({ ISSUER_ZIPCODE: '06700', IVA_RATE: '0.16' });
    const groups = Object.entries(configuration).filter(([name]) => name.endsWith('Config'));
    const unset = groups.flatMap(([, readGroup]) => unsetIn(readGroup as () => unknown));
    expect(unset.toSorted()).toEqual([
      // The credentials of the operator.
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      // The sandbox alone reads these.
      'ISSUER_LEGAL_NAME',
      'ISSUER_REGIME',
      'ISSUER_RFC',
    ]);
  });

  it('name the stacks beside that of the stage, if it has any', () => {
    const stacks = (found: Record<string, string>) => [found.MailStack, found.BudgetStack];
    expect(stacks(outputs)).toEqual([undefined, undefined]);
    const { sender } = ACCENTED;
    const beside = { region: 'mx-central-1', sender: { ...sender, region: 'us-east-1' }, budget: { usdPerMonth: 9 } };
    expect(stacks(outputsOf(beside))).toEqual(['PharmacyMail-test', 'PharmacyBudget-test']);
  });

  it('are refused when CloudFormation or a person has spoiled them', () => {
    expect(() => entered('{"Pharmacy":{"TableName":"t","MailSender":"100 %"}}')).toThrow(
      'is no file that `cdk deploy --outputs-file` has written.',
    );
  });
});
