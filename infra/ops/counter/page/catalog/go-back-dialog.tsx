import { useState } from 'preact/hooks';
import { CallError, runCommand } from '../call.ts';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { formatCount, formatMoney } from '../ui/format.ts';
import { ErrorNotice } from '../ui/notice.tsx';
import { ShownDifference, useDifference, type VersionsDifference } from './difference.tsx';
import { CATALOG_TEXTS } from './texts.ts';

type GoBackProps = { readonly version: string; onClose(): void; onDone(version: string): void };

/** Shows what going back to a version changes, and goes back once that is confirmed. */
export function GoBackDialog({ version, onClose, onDone }: GoBackProps) {
  const { difference, error } = useDifference({ to: version });
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog title={translate(CATALOG_TEXTS.confirmTitle, { version })} isBusy={isBusy} onClose={onClose}>
      <div class="go-back">
        <p>{translate(CATALOG_TEXTS.confirmMeaning)}</p>
        <ErrorNotice error={error} />
        {!difference && error === undefined && <p class="soft">{translate(CATALOG_TEXTS.comparing)}</p>}
        {difference && (
          <>
            <h3>{translate(CATALOG_TEXTS.confirmDifference)}</h3>
            <ShownDifference difference={difference} />
          </>
        )}
        {(difference || error !== undefined) && (
          <ConfirmForm {...{ version, difference, isBusy, setBusy, onClose, onDone }} />
        )}
      </div>
    </Dialog>
  );
}

type ConfirmProps = GoBackProps & {
  readonly difference: VersionsDifference | undefined;
  readonly isBusy: boolean;
  setBusy(isBusy: boolean): void;
};

// A version that cannot be compared with the current one may be the way out of a current one that is damaged.
function ConfirmForm({ version, difference, isBusy, setBusy, onClose, onDone }: ConfirmProps) {
  const [isAccepted, setAccepted] = useState(false);
  const [error, setError] = useState<unknown>();
  const mustAccept = difference !== undefined && difference.dangers.length > 0;
  const goBack = async () => {
    setBusy(true);
    try {
      // A version that could not be compared may be the way out of a damaged one; then there is nothing to look at.
      const seen = difference && { from: difference.from };
      await runCommand('catalog-activate', { version, ...seen, accept: mustAccept && isAccepted });
      onDone(version);
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void goBack();
      }}
    >
      {mustAccept && <Dangers difference={difference} isAccepted={isAccepted} onAccept={setAccepted} />}
      <ErrorNotice
        error={isRefused(error) ? new CallError({ code: error.code, ...CATALOG_TEXTS.dangersSince }) : error}
      />
      <div class="row">
        <Button type="submit" kind={mustAccept ? 'danger' : 'primary'} isBusy={isBusy}>
          {translate(CATALOG_TEXTS.confirm)}
        </Button>
        <Button onClick={onClose} isUnavailable={isBusy}>
          {translate(CATALOG_TEXTS.cancel)}
        </Button>
      </div>
    </form>
  );
}

// The command's own sentence is in English alone.
const isRefused = (error: unknown): error is CallError => error instanceof CallError && error.code === 'command_failed';

type DangersProps = {
  readonly difference: VersionsDifference;
  readonly isAccepted: boolean;
  onAccept(isAccepted: boolean): void;
};

const Dangers = ({ difference, isAccepted, onAccept }: DangersProps) => (
  <div class="notice error">
    <p>{translate(CATALOG_TEXTS.dangers)}</p>
    <ul>
      {difference.dangers.map(({ code, message }) => (
        <li key={message}>{describeDanger(code, difference) ?? message}</li>
      ))}
    </ul>
    <label>
      <input
        type="checkbox"
        required
        checked={isAccepted}
        onChange={({ currentTarget }) => onAccept(currentTarget.checked)}
      />{' '}
      {translate(CATALOG_TEXTS.accept)}
    </label>
  </div>
);

const countRemoved = ({ removed, before }: VersionsDifference['kinds']['products']) => ({
  removed: formatCount(removed.length),
  before: formatCount(before),
});

function describeDanger(
  code: VersionsDifference['dangers'][number]['code'],
  { kinds, prices, price_sizes, forgotten }: VersionsDifference,
): string | undefined {
  if (code === 'products_removed') return translate(CATALOG_TEXTS.dangerProducts, countRemoved(kinds.products));
  if (code === 'shipping_rates_removed')
    return translate(CATALOG_TEXTS.dangerRates, countRemoved(kinds.shipping_rates));
  if (code === 'holidays_removed') return translate(CATALOG_TEXTS.dangerHolidays);
  if (code === 'products_lost')
    return translate(CATALOG_TEXTS.dangerForgotten, { count: formatCount(forgotten.length) });
  if (code === 'id_in_use_removed') return translate(CATALOG_TEXTS.dangerIds);
  const [largest] = prices;
  if (code !== 'prices_changed' || !largest) return undefined;
  const beyond = price_sizes.find(({ up_to_percent }) => up_to_percent === null);
  return translate(CATALOG_TEXTS.dangerPrices, {
    count: formatCount((beyond?.raised ?? 0) + (beyond?.lowered ?? 0)),
    from: formatMoney(largest.before),
    to: formatMoney(largest.after),
  });
}
