import { type App, type IStackSynthesizer, LegacyStackSynthesizer, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import { BUDGET_REGION, budgetStackName } from '../stack-names.ts';
import type { Settings } from './settings.ts';

type SideStackProps = Pick<StackProps, 'description' | 'terminationProtection'> & {
  readonly region: string;
  readonly settings: Settings;
};

/**
 * A stack beside that of a stage, in another region, which need not be bootstrapped: the CDK CLI makes it with the
 * credentials of the caller.
 */
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

/** Mails the alarm address when a month costs 80 % of the budget, and when it is forecast to cost all of it. */
class BudgetStack extends SideStack {
  constructor(app: App, budget: NonNullable<Settings['budget']>, settings: Settings) {
    const { stage, alarmAddress } = settings;
    const description = `Pharmacy, budget of stage ${stage}`;
    super(app, budgetStackName(stage), { region: BUDGET_REGION, settings, description });
    // Without a name, which a budget that replaces this one could not have: every change of a subscriber replaces it.
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

/** Adds the budget of a stage, if its settings have one. */
export function addBudget(app: App, settings: Settings): void {
  if (settings.budget) new BudgetStack(app, settings.budget, settings);
}
