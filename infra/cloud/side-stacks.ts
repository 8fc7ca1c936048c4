import { type App, type IStackSynthesizer, LegacyStackSynthesizer, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import { BUDGET_REGION, budgetStackName } from '../stack-names.ts';
import type { Settings } from './settings.ts';

type SideStackProps = Pick<StackProps, 'description' | 'terminationProtection'> & {
  readonly region: string;
  readonly settings: Settings;
};

/** A stack in another region, which need not be bootstrapped: the CDK CLI creates it with the caller's credentials. */
export class SideStack extends Stack {
  constructor(scope: Construct, stackName: string, { region, settings: { account }, ...props }: SideStackProps) {
    super(scope, stackName, {
      ...props,
      stackName,
      env: { ...(account && { account }), region },
      // The cast is needed because aws-cdk-lib's types do not distinguish absent from undefined.
      synthesizer: new LegacyStackSynthesizer() as IStackSynthesizer,
    });
  }
}

const NOTICES = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
];

/** Mails the alarm address at 80 % of a month's budget, and when all of it is forecast. */
class BudgetStack extends SideStack {
  constructor(app: App, budget: NonNullable<Settings['budget']>, settings: Settings) {
    const { stage, alarmAddress } = settings;
    const description = `Pharmacy, budget of stage ${stage}`;
    super(app, budgetStackName(stage), { region: BUDGET_REGION, settings, description });
    // Unnamed: every change of a subscriber replaces the budget, which could not have the same name.
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: budget.usdPerMonth, unit: 'USD' },
      },
      notificationsWithSubscribers: NOTICES.map((notice) => ({
        notification: { ...notice, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
        subscribers: [{ subscriptionType: 'EMAIL', address: alarmAddress }],
      })),
    });
  }
}

export function addBudget(app: App, settings: Settings): void {
  if (settings.budget) new BudgetStack(app, settings.budget, settings);
}
